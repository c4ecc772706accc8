(* SPDX-License-Identifier: BSD-2-Clause *)
(* Reads one JSON value, as RFC 8259 has it and nothing more: no comments, no bare words, no second value behind the
   first, no name twice in an object. *)

type t =
  [ `Null | `Bool of bool | `Int of int | `Number of string | `String of string | `List of t list
  | `Assoc of (string * t) list ]

exception Wrong of string

let wrong fmt = Printf.ksprintf (fun s -> raise (Wrong s)) fmt

let deepest = 64

let utf8 b code =
  let add n = Buffer.add_char b (Char.chr n) in
  if code < 0x80 then add code
  else if code < 0x800 then (add (0xC0 lor (code lsr 6)); add (0x80 lor (code land 63)))
  else if code < 0x10000 then
    (add (0xE0 lor (code lsr 12)); add (0x80 lor (code lsr 6 land 63)); add (0x80 lor (code land 63)))
  else
    (add (0xF0 lor (code lsr 18)); add (0x80 lor (code lsr 12 land 63)); add (0x80 lor (code lsr 6 land 63));
     add (0x80 lor (code land 63)))

let is_utf8 s =
  let n = String.length s in
  let byte i = if i < n then Char.code (String.unsafe_get s i) else 0 in
  let more i low high = byte i >= low && byte i <= high in
  let rec go i =
    i >= n
    || (match byte i with
        | c when c < 0x80 -> go (i + 1)
        | c when c >= 0xC2 && c <= 0xDF -> more (i + 1) 0x80 0xBF && go (i + 2)
        | c when c >= 0xE0 && c <= 0xEF ->
          more (i + 1) (if c = 0xE0 then 0xA0 else 0x80) (if c = 0xED then 0x9F else 0xBF)
          && more (i + 2) 0x80 0xBF && go (i + 3)
        | c when c >= 0xF0 && c <= 0xF4 ->
          more (i + 1) (if c = 0xF0 then 0x90 else 0x80) (if c = 0xF4 then 0x8F else 0xBF)
          && more (i + 2) 0x80 0xBF && more (i + 3) 0x80 0xBF && go (i + 4)
        | _ -> false) in
  go 0

let parse s : t =
  let n = String.length s in
  let at = ref 0 in
  let next () = if !at < n then String.unsafe_get s !at else '\000' in
  let unexpected what =
    if !at >= n then wrong "it ends where %s is wanted" what
    else wrong "%C at column %d, where %s is wanted" s.[!at] (!at + 1) what in
  let rec space () =
    if !at < n then match String.unsafe_get s !at with
      | ' ' | '\t' | '\n' | '\r' -> incr at; space ()
      | _ -> () in
  let literal text value =
    let l = String.length text in
    if !at + l <= n && String.sub s !at l = text then (at := !at + l; value) else unexpected "a value" in
  let digits () =
    let from = !at in
    while !at < n && next () >= '0' && next () <= '9' do incr at done;
    if !at = from then unexpected "a digit" in
  let number () =
    let from = !at in
    if next () = '-' then incr at;
    if next () = '0' then incr at else digits ();
    let whole = ref true in
    if next () = '.' then (whole := false; incr at; digits ());
    (match next () with
     | 'e' | 'E' ->
       whole := false; incr at;
       (match next () with '+' | '-' -> incr at | _ -> ());
       digits ()
     | _ -> ());
    let text = String.sub s from (!at - from) in
    match if !whole then int_of_string_opt text else None with Some i -> `Int i | None -> `Number text in
  let hex4 () =
    if !at + 4 > n then unexpected "four hexadecimal digits";
    let code = ref 0 in
    for _ = 1 to 4 do
      let d = match next () with
        | '0' .. '9' as c -> Char.code c - 48
        | 'a' .. 'f' as c -> Char.code c - 87
        | 'A' .. 'F' as c -> Char.code c - 55
        | _ -> unexpected "a hexadecimal digit" in
      code := 16 * !code + d; incr at
    done;
    !code in
  let escape b =
    incr at;
    match next () with
    | ('"' | '\\' | '/') as c -> Buffer.add_char b c; incr at
    | 'b' -> Buffer.add_char b '\b'; incr at
    | 'f' -> Buffer.add_char b '\012'; incr at
    | 'n' -> Buffer.add_char b '\n'; incr at
    | 'r' -> Buffer.add_char b '\r'; incr at
    | 't' -> Buffer.add_char b '\t'; incr at
    | 'u' ->
      incr at;
      let high = hex4 () in
      if high land 0xFC00 = 0xD800 then begin
        if not (!at + 1 < n && s.[!at] = '\\' && s.[!at + 1] = 'u') then unexpected "the other half of a character";
        at := !at + 2;
        let low = hex4 () in
        if low land 0xFC00 <> 0xDC00 then wrong "half a character before column %d" (!at + 1);
        utf8 b (0x10000 + ((high land 0x3FF) lsl 10) + (low land 0x3FF))
      end else if high land 0xFC00 = 0xDC00 then wrong "half a character before column %d" (!at + 1)
      else utf8 b high
    | _ -> unexpected "an escape" in
  let string () =
    incr at;
    let from = !at in
    while !at < n && (match next () with '"' | '\\' | '\000' .. '\031' -> false | _ -> true) do incr at done;
    let text =
      if next () = '"' && !at < n then String.sub s from (!at - from)
      else begin
        let b = Buffer.create 64 in
        Buffer.add_substring b s from (!at - from);
        let rec go () =
          if !at >= n then unexpected "the end of a string";
          match next () with
          | '"' -> ()
          | '\\' -> escape b; go ()
          | '\000' .. '\031' -> unexpected "an escape or a printable character"
          | c -> Buffer.add_char b c; incr at; go () in
        go ();
        Buffer.contents b
      end in
    incr at;
    if not (is_utf8 text) then wrong "a string before column %d that is not UTF-8" (!at + 1);
    text in
  let rec once = function
    | [] -> ()
    | (k, _) :: l -> if List.mem_assoc k l then wrong "%S is given twice" k; once l in
  let rec value depth =
    if depth > deepest then wrong "more than %d levels deep" deepest;
    space ();
    let v =
      match next () with
      | '"' -> `String (string ())
      | '{' -> incr at; space (); if next () = '}' then (incr at; `Assoc []) else members depth []
      | '[' -> incr at; space (); if next () = ']' then (incr at; `List []) else elements depth []
      | '-' | '0' .. '9' -> number ()
      | 't' -> literal "true" (`Bool true)
      | 'f' -> literal "false" (`Bool false)
      | 'n' -> literal "null" `Null
      | _ -> unexpected "a value" in
    space ();
    v
  and elements depth l =
    let l = value (depth + 1) :: l in
    match next () with
    | ',' -> incr at; elements depth l
    | ']' -> incr at; `List (List.rev l)
    | _ -> unexpected "',' or ']'"
  and members depth l =
    space ();
    if next () <> '"' then unexpected "a name in quotes";
    let name = string () in
    space ();
    if next () <> ':' then unexpected "':'";
    incr at;
    let l = (name, value (depth + 1)) :: l in
    if List.compare_length_with l 64 > 0 then wrong "an object of more than 64 fields";
    match next () with
    | ',' -> incr at; members depth l
    | '}' -> incr at; let l = List.rev l in once l; `Assoc l
    | _ -> unexpected "',' or '}'" in
  let v = value 0 in
  if !at < n then unexpected "the end of the line";
  v

(* A string as JSON has it. *)
let put out s =
  Buffer.add_char out '"';
  String.iter
    (function
      | ('"' | '\\') as c -> Buffer.add_char out '\\'; Buffer.add_char out c
      | c when c < ' ' -> Buffer.add_string out (Printf.sprintf "\\u%04x" (Char.code c))
      | c -> Buffer.add_char out c)
    s;
  Buffer.add_char out '"'
