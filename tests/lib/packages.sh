# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the commands that must work on a Debian with nothing installed.
#   need_packages PACKAGE...   all of them installed when it returns; otherwise one line that says what to do, exit 1

# What each kind of work needs.
packages_build='make gcc libc6-dev clang clang-format libclang-rt-dev python3'
packages_harness='binutils cpio busybox-static qemu-system-x86'
packages_test="$packages_build $packages_harness ca-certificates git spin valgrind why3 z3 ocaml ocaml-findlib libzarith-ocaml-dev"
packages_prove='python3 gcc libc6-dev frama-c-base why3 z3 cvc4'

missing_packages() {
    for package in "$@"; do
        case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) echo "$package" ;;
        esac
    done | sort -u | tr '\n' ' '
}

# True if Frama-C is installed or can be: Debian 12 has it, Debian 13 does not.
have_prover() {
    command -v frama-c >/dev/null 2>&1 || [ -n "$(apt-cache madison frama-c-base 2>/dev/null)" ]
}

need_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        return 0 # not Debian: the commands say themselves which tool they miss
    fi
    wanted=$(missing_packages "$@")
    if [ -z "$wanted" ]; then
        return 0
    fi
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root='sudo'
    else
        echo "Packages are missing, and installing them needs root. Run this, then try again:" >&2
        echo "  apt-get update && apt-get install -y --no-install-recommends $wanted" >&2
        exit 1
    fi
    echo "Installing by apt: $wanted"
    log=$(mktemp)
    if $as_root apt-get update -q >"$log" 2>&1 &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $wanted >>"$log" 2>&1; then
        rm -f "$log"
    else
        tail -n 5 "$log" >&2
        rm -f "$log"
        echo "Installing by apt failed; the lines above say why." >&2
        exit 1
    fi
}
