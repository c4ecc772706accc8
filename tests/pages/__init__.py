# SPDX-License-Identifier: BSD-2-Clause
"""What tests/report makes: one page with all results."""
