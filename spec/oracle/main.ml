(* SPDX-License-Identifier: BSD-2-Clause *)
(* The oracle's command line: requests as JSON lines in, answers as JSON lines out. docs/model.md has the format.
   All that is decided is decided by the extracted model; here it is only read and written. *)

open Step__Step

exception Bad of string

let bad fmt = Printf.ksprintf (fun s -> raise (Bad s)) fmt

(* ---- reading ---- *)

let z = Z.of_int

let hex name s =
  let s = if String.length s > 2 && s.[0] = '0' && s.[1] = 'x' then String.sub s 2 (String.length s - 2) else s in
  let n = String.length s in
  if n = 0 || n > 16 then bad "%s: 1 to 16 hexadecimal digits are wanted" name;
  String.iter (function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> () | _ -> bad "%s: not a hexadecimal number" name) s;
  if n <= 15 then z (int_of_string ("0x" ^ s)) else Z.of_string_base 16 s

let word name = function
  | `String s -> hex name s
  | _ -> bad "%s: a string of hexadecimal digits is wanted" name

let below bits name j =
  let w = word name j in
  if Z.numbits w > bits then bad "%s: more than %d bits" name bits;
  w

let int name low high = function
  | `Int i when low <= i && i <= high -> i
  | `Bool b when low = 0 && high = 1 -> Bool.to_int b
  | _ -> bad "%s: an integer from %d to %d is wanted" name low high

let flag name j = int name 0 1 j = 1

let fields name known = function
  | `Assoc l ->
    List.iter (fun (k, _) -> if not (List.mem k known) then bad "%s: unknown field %S" name k) l;
    l
  | _ -> bad "%s: an object is wanted" name

let items name = function `List l -> l | _ -> bad "%s: an array is wanted" name

let find = List.assoc_opt

let need l name = match find name l with Some j -> j | None -> bad "%s: missing" name

let opt l name default read = match find name l with Some j -> read j | None -> default

let words name limit j =
  let l = items name j in
  if List.compare_length_with l limit > 0 then bad "%s: more than %d qwords" name limit;
  List.fold_right (fun w t -> Word (word name w, t)) l No_word

let reg_names = [ "rax"; "rbx"; "rcx"; "rdx"; "rsi"; "rdi"; "r8" ]

let regs name before j =
  let l = fields name reg_names j in
  let get n old = opt l n old (word n) in
  { rax = get "rax" before.rax; rbx = get "rbx" before.rbx; rcx = get "rcx" before.rcx; rdx = get "rdx" before.rdx;
    rsi = get "rsi" before.rsi; rdi = get "rdi" before.rdi; r8 = get "r8" before.r8 }

let zero_regs =
  { rax = Z.zero; rbx = Z.zero; rcx = Z.zero; rdx = Z.zero; rsi = Z.zero; rdi = Z.zero; r8 = Z.zero }

(* Ranges are written oldest first; the model holds the newest first. *)
let ranges j =
  let l = items "queue" j in
  if List.compare_length_with l 4096 > 0 then bad "queue: more than 4096 ranges";
  List.fold_left
    (fun t r ->
      match r with
      | `List [ first; len ] ->
        let start = below 52 "queue" first and len = z (int "queue" 1 0xFFFF_FFFF len) in
        if Z.gt (Z.add start len) (Z.shift_left Z.one 52) then bad "queue: a range goes beyond the last page";
        Queues__Queues.Range ({ Queues__Queues.start; len }, t)
      | _ -> bad "queue: a range is an array of first page and number of pages")
    Queues__Queues.No_range l

let queue l (before : Queues__Queues.queue) =
  { Queues__Queues.ranges = opt l "queue" before.ranges ranges;
    overflow = opt l "overflow" before.overflow (flag "overflow") }

let mark j = z (int "mark" 0 15 j)

(* What is pending for the other context of a VP. *)
let other before = function
  | None -> before
  | Some j ->
    let l = fields "other" [ "mark"; "queue"; "overflow" ] j in
    { pmark = opt l "mark" before.pmark mark; pqueue = queue l before.pqueue }

let vectors name j =
  List.fold_right (fun v t -> Word (z (int name 0 255 v), t)) (items name j) No_word

let nothing = { pmark = Z.zero; pqueue = Queues__Queues.empty }

let plain_vp i =
  { index = z i; running = false; apic_on = true; mark = Z.zero; queue = Queues__Queues.empty; other = nothing;
    posted = No_word }

let vp = function
  | `Int _ as j -> plain_vp (int "vps" 0 4095 j)
  | j ->
    let l = fields "vps" [ "vp"; "run"; "apic"; "mark"; "queue"; "overflow"; "other"; "posted" ] j in
    { index = z (int "vp" 0 4095 (need l "vp"));
      running = opt l "run" false (flag "run");
      apic_on = opt l "apic" true (flag "apic");
      mark = opt l "mark" Z.zero mark;
      queue = queue l Queues__Queues.empty;
      other = other nothing (find "other" l);
      posted = opt l "posted" No_word (vectors "posted") }

let vps j =
  let l = match j with
    | `Int _ -> List.init (int "vps" 0 4096 j) plain_vp
    | _ -> List.map vp (items "vps" j) in
  let seen = Bytes.make 4096 '0' in
  List.iter
    (fun v ->
      let i = Z.to_int v.index in
      if Bytes.get seen i = '1' then bad "vps: VP %d is named twice" i;
      Bytes.set seen i '1')
    l;
  let rec short = function Queues__Queues.No_range -> 0 | Range (_, t) -> 1 + short t in
  List.iter
    (fun v ->
      if short v.queue.ranges > 16 || short v.other.pqueue.ranges > 16 then
        bad "queue: more than 16 ranges are pending")
    l;
  List.fold_right (fun v t -> Vp (v, t)) l No_vp

(* ---- configuration: what stays from one request to the next ---- *)

type setting = {
  c_offers : Z.t; c_gva_bits : Z.t; c_budget : Z.t; c_gpa_bits : Z.t; c_max_vps : Z.t;
  c_privileges : Z.t; c_features : Z.t; c_hints : Z.t; c_spin : Z.t;
  m_identified : Z.t; m_cpl : Z.t; m_protected : Z.t; m_long : Z.t;
  s_vps : vps;
}

let u32 name j = z (int name 0 0xFFFF_FFFF j)

let defaults =
  { c_offers = z 0x5FF; c_gva_bits = z 48; c_budget = z 4095; c_gpa_bits = z 52; c_max_vps = z 4096;
    c_privileges = Z.zero; c_features = Z.zero; c_hints = Z.zero; c_spin = z 0xFFFF_FFFF;
    m_identified = Z.one; m_cpl = Z.zero; m_protected = Z.one; m_long = Z.one; s_vps = No_vp }

let config s j =
  let l = fields "config" [ "offers"; "gva_bits"; "rep_budget"; "gpa_bits"; "max_vps"; "privileges"; "features";
                            "hints"; "spin_count" ] j in
  let s =
    { s with
      c_offers = opt l "offers" s.c_offers (u32 "offers");
      c_gva_bits = opt l "gva_bits" s.c_gva_bits (u32 "gva_bits");
      c_budget = opt l "rep_budget" s.c_budget (u32 "rep_budget");
      c_gpa_bits = opt l "gpa_bits" s.c_gpa_bits (u32 "gpa_bits");
      c_max_vps = opt l "max_vps" s.c_max_vps (u32 "max_vps");
      c_privileges = opt l "privileges" s.c_privileges (u32 "privileges");
      c_features = opt l "features" s.c_features (u32 "features");
      c_hints = opt l "hints" s.c_hints (u32 "hints");
      c_spin = opt l "spin_count" s.c_spin (u32 "spin_count") } in
  if not (Setup__Setup.config_valid s.c_offers s.c_gva_bits s.c_budget s.c_max_vps s.c_gpa_bits) then
    bad "config: not a valid configuration";
  s

let mode s j =
  let l = fields "mode" [ "identified"; "cpl"; "protected"; "long" ] j in
  { s with
    m_identified = opt l "identified" s.m_identified (fun j -> z (int "identified" 0 1 j));
    m_cpl = opt l "cpl" s.m_cpl (fun j -> z (int "cpl" 0 3 j));
    m_protected = opt l "protected" s.m_protected (fun j -> z (int "protected" 0 1 j));
    m_long = opt l "long" s.m_long (fun j -> z (int "long" 0 1 j)) }

let setting s l =
  let s = opt l "config" s (config s) in
  let s = opt l "mode" s (mode s) in
  match find "vps" l with Some j -> { s with s_vps = vps j } | None -> s

let input s l =
  let s = setting s l in
  { offers = s.c_offers; gva_bits = s.c_gva_bits; rep_budget = s.c_budget;
    identified = s.m_identified; cpl = s.m_cpl; protected_mode = s.m_protected; long_mode = s.m_long;
    regs = regs "regs" zero_regs (need l "regs");
    xmm = opt l "xmm" No_word (words "xmm" 12);
    memory = opt l "mem" No_word (words "mem" 8192);
    vps = s.s_vps }

(* ---- outcomes ---- *)

let ends_names = [ ("done", Z.zero); ("continue", Z.one); ("ud", z 2) ]

let after v l =
  let told name = opt l name v.running (flag name) in
  let vector = opt l "vector" Z.zero (u32 "vector") in
  { marked = opt l "mark" v.mark mark;
    queued = queue l v.queue;
    beside = other v.other (find "other" l);
    holds = opt l "posted" (if Z.sign vector = 0 then v.posted else Word (vector, v.posted)) (vectors "posted");
    vector;
    kicked = told "kick"; waited = told "wait";
    woken = opt l "wake" (not v.running) (flag "wake") }

(* Registers, status and elements done say one thing: without registers they are made of the other two, with
   registers they must agree. *)
let final x ends l =
  let over = Z.equal ends Z.zero in
  let value name high = Option.map (int name 0 high) (find name l) in
  let status = value "status" 0xFFFF and reps = value "reps" 0xFFF in
  if not over then
    List.iter (fun n -> if List.mem_assoc n l then bad "%s: only a call that is done has one" n) [ "status"; "reps" ];
  match find "regs" l, status with
  | None, None when over -> bad "status: missing, and so is regs"
  | None, None -> x.regs
  | None, Some s ->
    with_result x.long_mode x.regs (Control__Control.result_value (z s) (z (Option.value reps ~default:0)))
  | Some j, _ ->
    let r = regs "regs" x.regs j in
    let result = Allowed__Allowed.result_of x r in
    let agree name said stands = match said with
      | Some n when not (Z.equal (z n) stands) -> bad "%s: %d, but regs say %s" name n (Z.to_string stands)
      | _ -> () in
    agree "status" status (Z.rem result (z 0x10000));
    agree "reps" reps (Control__Control.rep_count_of result);
    r

let outcome x j =
  let l = fields "outcome" [ "ends"; "status"; "reps"; "regs"; "told"; "yield" ] j in
  let ends = match need l "ends" with
    | `String s when List.mem_assoc s ends_names -> List.assoc s ends_names
    | _ -> bad "ends: \"done\", \"continue\" or \"ud\" is wanted" in
  let told = Hashtbl.create 16 in
  List.iter
    (fun j ->
      let l = fields "told" [ "vp"; "mark"; "queue"; "overflow"; "other"; "posted"; "vector"; "kick"; "wait"; "wake" ] j in
      let i = int "vp" 0 4095 (need l "vp") in
      if Hashtbl.mem told i then bad "told: VP %d is named twice" i;
      Hashtbl.replace told i l)
    (opt l "told" [] (items "told"));
  let rec walk = function
    | No_vp -> Hashtbl.fold (fun i l t -> After (after (plain_vp i) l, t)) told No_after
    | Vp (v, t) ->
      let i = Z.to_int v.index in
      let a = match Hashtbl.find_opt told i with
        | Some l -> Hashtbl.remove told i; after v l
        | None -> untouched v in
      After (a, walk t) in
  { ends; final = final x ends l; told = walk x.vps;
    yields = opt l "yield" false (flag "yield") }

(* ---- writing ---- *)

let out = Buffer.create 65536

let str s = Buffer.add_string out s
let put_hex w = str "\""; str (if Z.fits_int w then Printf.sprintf "%x" (Z.to_int w) else Z.format "%x" w); str "\""
let put_int i = str (Z.to_string i)
let put_flag b = str (if b then "1" else "0")

let put_queue (q : Queues__Queues.queue) =
  let rec go = function
    | Queues__Queues.No_range -> false
    | Range (r, older) ->
      if go older then str ",";
      str "["; put_hex r.start; str ","; put_int r.len; str "]";
      true in
  str "\"queue\":["; ignore (go q.ranges); str "],\"overflow\":"; put_flag q.overflow

let put_regs before r =
  let comma = ref false in
  let one name old now =
    if not (Z.equal old now) then begin
      if !comma then str ",";
      comma := true;
      str "\""; str name; str "\":"; put_hex now
    end in
  str "\"regs\":{";
  one "rax" before.rax r.rax; one "rbx" before.rbx r.rbx; one "rcx" before.rcx r.rcx; one "rdx" before.rdx r.rdx;
  one "rsi" before.rsi r.rsi; one "rdi" before.rdi r.rdi; one "r8" before.r8 r.r8;
  str "}"

let put_told l t =
  let comma = ref false in
  let rec go l t = match l, t with
    | Vp (v, l), After (a, t) ->
      if a.kicked || a.waited || a.woken || Z.sign a.vector <> 0 || not (Z.equal a.marked v.mark)
         || a.queued <> v.queue || a.beside <> v.other then begin
        if !comma then str ",";
        comma := true;
        str "{\"vp\":"; put_int v.index;
        str ",\"mark\":"; put_int a.marked; str ","; put_queue a.queued;
        str ",\"vector\":"; put_int a.vector;
        str ",\"kick\":"; put_flag a.kicked; str ",\"wait\":"; put_flag a.waited;
        str ",\"wake\":"; put_flag a.woken;
        if a.beside <> v.other then begin
          str ",\"other\":{\"mark\":"; put_int a.beside.pmark; str ","; put_queue a.beside.pqueue; str "}"
        end;
        str "}"
      end;
      go l t
    | _ -> () in
  str "\"told\":["; go l t; str "]"

let put_outcome x o =
  str "\"ends\":\"";
  str (if Z.equal o.ends Z.zero then "done" else if Z.equal o.ends Z.one then "continue" else "ud");
  str "\",";
  if Z.equal o.ends Z.zero then begin
    let r = Allowed__Allowed.result_of x o.final in
    str "\"status\":"; put_int (Z.rem r (z 0x10000));
    str ",\"reps\":"; put_int (Control__Control.rep_count_of r); str ","
  end;
  put_regs x.regs o.final; str ","; put_told x.vps o.told;
  str ",\"yield\":"; put_flag o.yields

let put_string s = Json.put out s

(* ---- requests ---- *)

let version = "1"

let hello () =
  str "\"proviso\":\"oracle\",\"version\":"; str version;
  str ",\"ops\":[\"hello\",\"set\",\"step\",\"judge\",\"cpuid\",\"msr_read\",\"msr_write\",\
       \"kvm_step\",\"kvm_judge\",\"kvm_set_up\",\"kvm_cpuid\",\"kvm_msr\",\"kvm_clock\",\"kvm_preempted\"],\
       \"calls\":[2,3,8,11,19,20,21,175,176],\"max_vps\":4096,\"queue_ranges\":16"

let common = [ "op"; "id"; "config"; "mode"; "vps" ]
let call = common @ [ "regs"; "xmm"; "mem" ]
let msrs = [ "os_id"; "hypercall"; "vp_index"; "msr"; "value" ]

let msr_names = [| "done"; "gp"; "unknown"; "page" |]

(* ---- the KVM persona ---- *)

module K = Kvmstep__Kvmstep

let kvm_fields = [ "op"; "id"; "cpl"; "long"; "features"; "caller"; "regs"; "vps" ]

(* VPs by APIC id: the number alone, or {"apic_id": 3, "run": 1, "apic": 0}. *)
let kvm_vps j =
  let seen = Hashtbl.create 16 in
  let vp j =
    let l = match j with
      | `Int _ -> [ ("apic_id", j) ]
      | _ -> fields "vps" [ "apic_id"; "run"; "apic" ] j in
    let id = int "apic_id" 0 0xFFFF_FFFF (need l "apic_id") in
    if Hashtbl.mem seen id then bad "vps: APIC id %d is named twice" id;
    Hashtbl.add seen id ();
    { K.apic = z id; inside = opt l "run" false (flag "run"); deaf = if opt l "apic" true (flag "apic") then Z.zero else Z.one } in
  List.fold_right (fun v t -> K.Kvp (v, t)) (List.map vp (items "vps" j)) K.No_kvp

let kvm_input l =
  let r = fields "regs" [ "rax"; "rbx"; "rcx"; "rdx"; "rsi" ] (need l "regs") in
  let reg n = opt r n Z.zero (word n) in
  { K.cpl = opt l "cpl" Z.zero (fun j -> z (int "cpl" 0 3 j));
    long_mode = opt l "long" Z.one (fun j -> z (int "long" 0 1 j));
    features = opt l "features" Kvm__Kvm.kvm_all_features (u32 "features");
    caller = opt l "caller" Z.zero (u32 "caller");
    number = reg "rax"; a0 = reg "rbx"; a1 = reg "rcx"; a2 = reg "rdx"; a3 = reg "rsi";
    kvps = opt l "vps" K.No_kvp kvm_vps }

let kvm_outcome (x : K.kinput) j =
  let l = fields "outcome" [ "rax"; "told" ] j in
  let told = Hashtbl.create 16 in
  List.iter
    (fun j ->
      let l = fields "told" [ "apic_id"; "vector"; "nmi"; "kick"; "wake"; "unhalt"; "yield_to" ] j in
      let id = int "apic_id" 0 0xFFFF_FFFF (need l "apic_id") in
      if Hashtbl.mem told id then bad "told: APIC id %d is named twice" id;
      Hashtbl.replace told id l)
    (opt l "told" [] (items "told"));
  let effect l =
    let f n = opt l n false (flag n) in
    { K.vector = opt l "vector" Z.zero (fun j -> z (int "vector" 0 255 j)); nmi = f "nmi"; kicked = f "kick"; woken = f "wake";
      unhalted = f "unhalt"; given = f "yield_to" } in
  let rec walk = function
    | K.No_kvp -> if Hashtbl.length told > 0 then bad "told: an APIC id that no VP has"; K.No_keffect
    | K.Kvp (v, t) ->
      let id = Z.to_int v.K.apic in
      let e = match Hashtbl.find_opt told id with Some l -> Hashtbl.remove told id; effect l | None -> K.nothing in
      K.Keffect (e, walk t) in
  { K.result = word "rax" (need l "rax"); effects = walk x.K.kvps }

let put_kvm_outcome (x : K.kinput) (o : K.koutcome) =
  str "\"rax\":"; put_hex o.K.result; str ",\"told\":[";
  let comma = ref false in
  let rec go l e = match l, e with
    | K.Kvp (v, l), K.Keffect (e, t) ->
      if e <> K.nothing then begin
        if !comma then str ",";
        comma := true;
        str "{\"apic_id\":"; put_int v.K.apic;
        if Z.sign e.K.vector <> 0 then (str ",\"vector\":"; put_int e.K.vector);
        List.iter (fun (name, b) -> if b then (str ",\""; str name; str "\":1"))
          [ ("nmi", e.K.nmi); ("kick", e.K.kicked); ("wake", e.K.woken); ("unhalt", e.K.unhalted); ("yield_to", e.K.given) ];
        str "}"
      end;
      go l t
    | _ -> () in
  go x.K.kvps o.K.effects;
  str "]"

(* Answers one request; gives the settings for the next. *)
let answer s op l j =
  match op with
  | "hello" -> ignore (fields "request" [ "op"; "id" ] j); hello (); s
  | "set" -> ignore (fields "request" common j); let s = setting s l in str "\"set\":1"; s
  | "step" -> ignore (fields "request" call j); let x = input s l in put_outcome x (step x); s
  | "judge" ->
    ignore (fields "request" ("outcome" :: call) j);
    let x = input s l in
    let o = outcome x (need l "outcome") in
    (match Allowed__Allowed.judge x o with
     | Allowed__Allowed.FINE -> str "\"allowed\":true"
     | r -> str "\"allowed\":false,\"rule\":"; put_string (Rules.name r));
    s
  | "cpuid" ->
    ignore (fields "request" ("leaf" :: common) j);
    let c = setting s l in
    let leaf = below 32 "leaf" (need l "leaf") in
    let open Setup__Setup in
    str "\"eax\":"; put_hex (cpuid_eax c.c_offers c.c_privileges c.c_hints c.c_max_vps leaf);
    str ",\"ebx\":"; put_hex (cpuid_ebx c.c_offers c.c_spin leaf);
    str ",\"ecx\":"; put_hex (cpuid_ecx leaf);
    str ",\"edx\":"; put_hex (cpuid_edx c.c_offers c.c_features leaf);
    s
  | "msr_read" | "msr_write" ->
    ignore (fields "request" (msrs @ common) j);
    let c = setting s l in
    let get n = opt l n Z.zero (word n) in
    let msr = below 32 "msr" (need l "msr") and os_id = get "os_id" and hypercall = get "hypercall" in
    let vp_index = opt l "vp_index" Z.zero (below 32 "vp_index") in
    let open Setup__Setup in
    if op = "msr_read" then begin
      let r = msr_read_result msr in
      str "\"result\":"; put_string msr_names.(Z.to_int r);
      str ",\"value\":"; put_hex (msr_read_value os_id hypercall vp_index msr)
    end else begin
      let value = word "value" (need l "value") in
      let r = msr_write_result c.c_offers c.c_gpa_bits hypercall msr value in
      let done_ = Z.equal r msr_done || Z.equal r msr_page in
      let after = if done_ then hypercall_after os_id hypercall msr value else hypercall in
      str "\"result\":"; put_string msr_names.(Z.to_int r);
      str ",\"os_id\":"; put_hex (if done_ then os_id_after os_id msr value else os_id);
      str ",\"hypercall\":"; put_hex after;
      str ",\"page\":"; if page_enabled after then put_hex (page_gpa after) else str "null"
    end;
    s
  | "kvm_step" ->
    ignore (fields "request" kvm_fields j);
    let x = kvm_input l in
    put_kvm_outcome x (K.kvm_step x); s
  | "kvm_judge" ->
    ignore (fields "request" ("outcome" :: kvm_fields) j);
    let x = kvm_input l in
    (match K.kvm_judge x (kvm_outcome x (need l "outcome")) with
     | K.KFINE -> str "\"allowed\":true"
     | r -> str "\"allowed\":false,\"rule\":"; put_string (Rules.kvm_name r));
    s
  | "kvm_set_up" ->
    ignore (fields "request" [ "op"; "id"; "base"; "features"; "ids" ] j);
    let get n = below 32 n (need l n) in
    str "\"valid\":"; put_flag (Kvm__Kvm.kvm_config (get "base") (get "features") (get "ids")); s
  | "kvm_cpuid" ->
    ignore (fields "request" [ "op"; "id"; "base"; "features"; "hints"; "leaf" ] j);
    let get n = below 32 n (need l n) in
    let base = get "base" and features = get "features" and hints = get "hints" and leaf = get "leaf" in
    let open Kvm__Kvm in
    str "\"eax\":"; put_hex (kvm_eax base features leaf); str ",\"ebx\":"; put_hex (kvm_ebx base leaf);
    str ",\"ecx\":"; put_hex (kvm_ecx base leaf); str ",\"edx\":"; put_hex (kvm_edx base hints leaf); s
  | "kvm_msr" ->
    ignore (fields "request" [ "op"; "id"; "features"; "msr"; "value" ] j);
    let features = below 32 "features" (need l "features") and msr = below 32 "msr" (need l "msr") in
    str "\"result\":"; put_string msr_names.(Z.to_int (Kvm__Kvm.kvm_msr_result features msr (word "value" (need l "value")))); s
  | "kvm_clock" ->
    ignore (fields "request" [ "op"; "id"; "hz"; "mul"; "shift"; "ticks" ] j);
    let hz = word "hz" (need l "hz") and mul = below 32 "mul" (need l "mul") and shift = z (int "shift" (-64) 64 (need l "shift")) in
    str "\"right\":"; put_flag (Kvm__Kvm.clock_right hz mul shift);
    str ",\"reads\":"; put_string (Z.to_string (Kvm__Kvm.clock_reads mul shift (opt l "ticks" Z.zero (word "ticks")))); s
  | "kvm_preempted" ->
    ignore (fields "request" [ "op"; "id"; "byte" ] j);
    str "\"flush\":"; put_flag (Kvm__Kvm.flush_wanted (z (int "byte" 0 255 (need l "byte")))); s
  | _ -> bad "op: %S is not known" op

let failed = ref false

let serve s number line =
  let start = Buffer.length out in
  let error id m =
    failed := true;
    let m = String.map (fun c -> if c < ' ' || c > '~' then '?' else c) m in
    Buffer.truncate out start;
    str "{"; id (); str "\"error\":"; put_string (Printf.sprintf "line %d: %s" number m); str "}\n";
    s in
  match Json.parse line with
  | exception Json.Wrong m -> error (fun () -> ()) ("bad JSON: " ^ m)
  | j ->
    let id () = match j with
      | `Assoc l -> (match find "id" l with
                     | Some (`Int i) -> str "\"id\":"; str (string_of_int i); str ","
                     | Some (`String t) -> str "\"id\":"; put_string t; str ","
                     | _ -> ())
      | _ -> () in
    try
      let l = match j with `Assoc l -> l | _ -> bad "an object is wanted" in
      (match find "id" l with
       | None | Some (`Int _ | `String _) -> ()
       | Some _ -> bad "id: a string or an integer below 2^62 is wanted");
      let op = match need l "op" with `String op -> op | _ -> bad "op: a string is wanted" in
      str "{"; id ();
      let s = answer s op l j in
      str "}\n";
      s
    with Bad m -> error id m

exception Lost of string

(* Straight to the descriptor: a channel of OCaml's would try, and fail, once more at the end. *)
let print text =
  let rec go from left =
    if left > 0 then
      let n = try Unix.write_substring Unix.stdout text from left
        with Unix.Unix_error (e, _, _) -> raise (Lost (Unix.error_message e)) in
      go (from + n) (left - n) in
  go 0 (String.length text)

let flush_out () =
  print (Buffer.contents out);
  Buffer.clear out

(* Reads what there is, answers every whole line of it, and only then writes: so a conversation never waits, and a
   long file is not written line by line. *)
let run fd name =
  let chunk = Bytes.create 65536 in
  let rest = Buffer.create 65536 in
  let s = ref defaults and number = ref 0 in
  let one line =
    incr number;
    if String.trim line <> "" then s := serve !s !number line;
    if Buffer.length out > 1_000_000 then flush_out () in
  let rec go () =
    match Unix.read fd chunk 0 (Bytes.length chunk) with
    | exception Unix.Unix_error (e, _, _) -> raise (Bad (name ^ ": " ^ Unix.error_message e))
    | 0 -> if Buffer.length rest > 0 then one (Buffer.contents rest)
    | n ->
      let from = ref 0 in
      for i = 0 to n - 1 do
        if Bytes.get chunk i = '\n' then begin
          Buffer.add_subbytes rest chunk !from (i - !from);
          let line = Buffer.contents rest in
          Buffer.clear rest;
          from := i + 1;
          one line
        end
      done;
      Buffer.add_subbytes rest chunk !from (n - !from);
      flush_out ();
      go () in
  go ();
  flush_out ();
  if !failed then begin
    prerr_endline "oracle: some requests were not understood; each has its error in the answers";
    exit 1
  end

let usage = "usage: oracle [FILE]\n\
  Answers requests, one JSON object a line, from FILE or from standard input. Operations: hello, set, step, judge,\n\
  cpuid, msr_read, msr_write; kvm_step, kvm_judge, kvm_set_up, kvm_cpuid, kvm_msr, kvm_clock, kvm_preempted. Ends with 1 if a request was not understood, with 2 if it could not run."

let () =
  let stop m = prerr_endline ("oracle: " ^ m); exit 2 in
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  try
    match Array.to_list Sys.argv with
    | [ _ ] | [ _; "-" ] -> run Unix.stdin "standard input"
    | [ _; ("-h" | "--help") ] -> print (usage ^ "\n")
    | [ _; "--version" ] -> print ("proviso oracle, protocol " ^ version ^ "\n")
    | [ _; f ] when f <> "" && f.[0] <> '-' -> run (Unix.openfile f [ Unix.O_RDONLY ] 0) f
    | _ -> prerr_endline usage; exit 2
  with
  | Lost m -> stop ("the answers can't be written: " ^ m)
  | Bad m -> stop m
  | Unix.Unix_error (e, _, f) -> stop (if f = "" then Unix.error_message e else f ^ ": " ^ Unix.error_message e)
  | Out_of_memory -> stop "out of memory"
