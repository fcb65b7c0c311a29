#!/usr/bin/env python3
"""Makes the parts of the Rust crate that repeat the C headers and the operator set.

  sdk/rust/generate.py                 writes src/sys.rs (all C headers), src/ops.rs (all operators)
  sdk/rust/generate.py --check         exit 1 when they differ from what it would write
  sdk/rust/generate.py --layout c      prints a program in C that prints sizes, offsets and numbers
  sdk/rust/generate.py --layout rust   prints the same program in Rust; both print the same
"""
import importlib.util
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
SDK = HERE.parent
INCLUDE = SDK / "include" / "broch"

SCALARS = {"void": "c_void", "char": "c_char", "double": "f64", "float": "f32", "int": "i32",
           "int8_t": "i8", "int16_t": "i16", "int32_t": "i32", "int64_t": "i64",
           "uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64"}
KEYWORDS = {"as", "box", "fn", "impl", "in", "loop", "match", "mod", "move", "mut", "ref", "type",
            "use", "where"}
TOKEN = re.compile(r'/\*.*?\*/|"(?:[^"\\]|\\.)*"|\w+|\S', re.DOTALL)
DIRECTIVE = re.compile(r"^#(?:\\\n|[^\n])*", re.MULTILINE)
COMMENTED_DIRECTIVE = re.compile(r"(?:(/\*(?:(?!\*/).)*\*/)\n)?^(#(?:\\\n|[^\n])*)",
                                 re.MULTILINE | re.DOTALL)
CONSTANT = re.compile(r'#define (\w+) (".*?"|-?(?:0x[0-9a-fA-F]+|\d+)u?)\s*(/\*.*\*/)?$')
TABLE_ID = re.compile(r'"broch\.[\w.-]+/\d+"')  # what get_extension and get_interface take


def rust_name(name):
    """self is no name for a parameter of a function type."""
    return {"self": "this"}.get(name, "r#" + name if name in KEYWORDS else name)


def comment_lines(comment):
    """A C comment as lines of text."""
    lines = [re.sub(r"^\s*\* ?", "", line) for line in comment[2:-2].strip().split("\n")]
    starred = "\n *" in comment or "\n   *" in comment
    return [(line if starred else line.strip()).rstrip() for line in lines]


def documented(comments, indent="", mark="///"):
    return "".join(f"{indent}{mark} {line}".rstrip() + "\n"
                   for comment in comments for line in comment_lines(comment))


class Reader:
    """The tokens of a header. Comments are kept aside: those above what comes next, and those
    behind what was taken last, on its line."""

    def __init__(self, name, text):
        self.name, self.at, self.above, self.tokens = name, 0, [], []
        end = 0
        for match in TOKEN.finditer(text):
            self.tokens.append((match.group(), "\n" not in text[end:match.start()]))
            end = match.end()

    def peek(self, ahead=0):
        if ahead == 0:
            while self.at < len(self.tokens) and self.tokens[self.at][0].startswith("/*"):
                self.above.append(self.tokens[self.at][0])
                self.at += 1
        code = [text for text, _ in self.tokens[self.at:self.at + 20] if not text.startswith("/*")]
        return code[ahead] if ahead < len(code) else ""

    def take(self, expected=None):
        token = self.peek()
        if not token or (expected and token != expected):
            found = " ".join(text for text, _ in self.tokens[self.at:self.at + 8])
            sys.exit(f"{self.name}: found '{found}', expected {expected or 'a declaration'}")
        self.at += 1
        return token

    def take_if(self, token):
        return bool(self.peek() == token and self.take())

    def comments_above(self):
        self.peek()
        comments, self.above = self.above, []
        return comments

    def comments_behind(self):
        start = self.at
        while self.at < len(self.tokens) and self.tokens[self.at][1] and \
                self.tokens[self.at][0].startswith("/*"):
            self.at += 1
        return [text for text, _ in self.tokens[start:self.at]]

    def skip_function(self):
        while self.take() != "{":
            pass
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)

    def base(self):
        """`const struct NAME`: the Rust type, and whether it is constant."""
        constant = False
        while self.peek() in {"const", "struct"}:
            constant |= self.take() == "const"
        name = self.take()
        constant |= self.take_if("const")
        return SCALARS.get(name, name), constant

    def declarator(self, rust, constant):
        """`*const name[2]` or `(*name)(…)`: (name, Rust type)."""
        while self.take_if("*"):
            rust, constant = f"*{'const' if constant else 'mut'} {rust}", self.take_if("const")
        if self.take_if("("):
            self.take("*")
            name = self.take()
            self.take(")")
            return name, f"Option<{self.function(rust)}>"
        name = self.take()
        if self.take_if("["):
            count = self.take()
            rust = f"[{rust}; {count}{'' if count.isdigit() else ' as usize'}]"
            self.take("]")
        return name, rust

    def function(self, result):
        """From the '(' of the parameters on: the type of the function."""
        self.take("(")
        outer, self.above, parameters = self.above, [], []
        if self.peek() == "void" and self.peek(1) == ")":
            self.take()
        while self.peek() != ")":
            name, rust = self.declarator(*self.base())
            remarks = "".join(" " + remark for remark in self.comments_above())
            parameters.append(f"{rust_name(name)}: {rust}{remarks}")
            self.take_if(",")
        self.take(")")
        self.above = outer
        arrow = "" if result == "c_void" else f" -> {result}"
        return f'unsafe extern "C" fn({", ".join(parameters)}){arrow}'


class Header:
    """What a header declares. items: Rust text in the order of the header."""

    def __init__(self, path):
        self.name, text = str(path.relative_to(INCLUDE)), path.read_text()
        about, _, code = text.partition("*/")
        self.items, self.constants, self.structs = [], [], {}
        self.items.append(documented([about + "*/"], mark="//"))
        ids = self.read_directives(code)
        self.read_code(re.sub(r"\bBROCH_C_(BEGIN|END)\b", "", DIRECTIVE.sub("", code)))
        # A header with one id has one table with it, the last one.
        tables = [name for name, members in self.structs.items() if members[0][0] == "struct_size"]
        self.table = (tables[-1], ids[0]) if len(ids) == 1 and tables else None

    def read_directives(self, code):
        """Constants; those under a condition are about the compiler. Returns the ids of tables."""
        depth, ids = 0, []
        for above, line in COMMENTED_DIRECTIVE.findall(code):
            depth += line.startswith("#if") - line.startswith("#endif")
            constant = CONSTANT.fullmatch(line)
            if not constant or depth > 1:
                continue
            name, value, comment = constant.groups()
            if value.startswith('"'):
                ids += [name] if TABLE_ID.fullmatch(value) else []
                item = f"pub const {name}: &CStr = text(b{value[:-1]}\\0\");\n"
            else:
                self.constants.append(name)
                kind = "u32" if value.endswith("u") else "i32"
                item = f"pub const {name}: {kind} = {value.rstrip('u')};\n"
            self.items.append(documented([c for c in (above, comment) if c]) + item)
        return ids

    def read_code(self, code):
        reader = Reader(self.name, code)
        while reader.peek():
            above = reader.comments_above()[-1:]
            if reader.peek() == "enum":
                self.read_enum(reader, above)
            elif reader.peek() != "typedef":
                reader.skip_function()
            elif reader.peek(1) == "struct" and reader.peek(3) == "{":
                self.read_struct(reader, above)
            else:
                self.read_alias(reader, above)

    def read_enum(self, reader, above):
        reader.take("enum")
        reader.take("{")
        text = documented(above, mark="//")
        while reader.peek() != "}":
            comments, name = reader.comments_above(), reader.take()
            reader.take("=")
            value = reader.take()
            value += reader.take() if value == "-" else ""
            comments += reader.comments_behind()
            reader.take_if(",")
            comments += reader.comments_behind()
            text += f"{documented(comments)}pub const {name}: i32 = {value};\n"
            self.constants.append(name)
        reader.take("}")
        reader.take(";")
        self.items.append(text)

    def read_alias(self, reader, above):
        reader.take("typedef")
        name, rust = reader.declarator(*reader.base())
        reader.take(";")
        comments = documented(above + reader.comments_behind())
        self.items.append(f"{comments}pub type {name} = {rust};\n")

    def read_struct(self, reader, above):
        reader.take("typedef")
        reader.take("struct")
        name = reader.take()
        members = self.read_members(reader, name)
        reader.take(name)
        reader.take(";")
        self.structs[name] = [(member, rust) for member, rust, _ in members]
        self.add_record("struct", name, members, above)

    def read_members(self, reader, owner):
        members = []
        reader.take("{")
        while reader.peek() != "}":
            comments = reader.comments_above()
            if reader.take_if("union"):
                fields = self.read_members(reader, owner)
                name = reader.take()
                self.add_record("union", f"{owner}_{name}", fields, [])
                found = [(name, f"{owner}_{name}")]
            else:
                base = reader.base()
                found = [reader.declarator(*base)]
                while reader.take_if(","):
                    found.append(reader.declarator(*base))
            reader.take(";")
            comments += reader.comments_behind()
            for name, rust in found:
                members.append((name, rust, comments))
                comments = []
        reader.take("}")
        return members

    def add_record(self, kind, name, members, above):
        body = "".join(f"{documented(comments, '    ')}    pub {rust_name(member)}: {rust},\n"
                       for member, rust, comments in members)
        self.items.append(f"{documented(above)}#[repr(C)]\n#[derive(Clone, Copy)]\n"
                          f"pub {kind} {name} {{\n{body}}}\n")


def read_headers():
    return [Header(path) for path in sorted(INCLUDE.rglob("*.h"))]


def sys_module(headers):
    items = [item for header in headers for item in header.items]
    tables = [header.table for header in headers if header.table]
    impls = "".join(f"unsafe impl Table for {table} {{\n    const ID: &'static CStr = {id_};\n}}\n"
                    for table, id_ in tables)
    return (HERE / "sys.rs.in").read_text().replace("@ITEMS@", "\n".join(items)) \
        .replace("@TABLES@", impls)


class Parameter:
    """An argument of an operator in Rust: type of the parameter, and its tagged value."""

    def __init__(self, argument):
        name, base = rust_name(argument.name.lower()), argument.base
        self.name, self.before = name, ""
        if argument.hidden:
            self.type, self.value = "", "of_none()"
        elif argument.list and base == "Tensor":
            self.type, self.value = "&[Tensor<'t>]", f"of_tensors(&{name})"
            self.before = f"        let {name} = handles({name});\n"
        elif argument.list and (argument.optional or argument.default):
            self.type, self.value = "Option<&[i64]>", f"of_optional_ints({name})"
        elif argument.list:
            self.type, self.value = "&[i64]", f"of_ints({name})"
        elif base == "Tensor" and argument.optional:
            self.type, self.value = "Option<Tensor<'t>>", f"of_optional_tensor({name})"
        elif base == "Tensor":
            self.type, self.value = "Tensor<'t>", f"of_tensor({name})"
        elif base == "Scalar" or (argument.optional and base in {"int", "float"}):
            self.type, self.value = "impl Into<Scalar>", f"{name}.into().0"
        elif base == "ScalarType" and argument.optional:
            self.type, self.value = "Option<Dtype>", f"of_optional_dtype({name})"
        else:
            self.type = {"int": "i64", "float": "f64", "bool": "bool", "str": "&str",
                         "ScalarType": "Dtype"}[base]
            self.value = f"of_{self.type.lower().strip('&')}({name})"


def operator(index, one):
    parameters = [Parameter(argument) for argument in one.arguments]
    shown = "".join(f", {p.name}: {p.type}" for p in parameters if p.type)
    before = "".join(p.before for p in parameters)
    values = ", ".join(p.value for p in parameters)
    result, call = "Tensor<'t>", f"self.call({index}, &[{values}])"
    if one.results > 1:
        result, call = f"[Tensor<'t>; {one.results}]", f"self.call_n({index}, &[{values}])"
    return (f"    /// `{one.schema}`\n"
            f"    pub fn {rust_name(one.wrapper)}<'t>(&'t self{shown}) -> {result} {{\n"
            f"{before}        {call}\n    }}\n")


def ops_module():
    place = SDK / "opset" / "generate.py"
    spec = importlib.util.spec_from_file_location("opset_generate", place)
    opset = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(opset)
    operators = opset.read()
    schemas = "".join('    b"' + one.schema.replace('"', '\\"') + '\\0",\n' for one in operators)
    methods = "\n".join(operator(index, one) for index, one in enumerate(operators))
    return (HERE / "ops.rs.in").read_text().replace("@SCHEMAS@", schemas) \
        .replace("@METHODS@", methods)


def split_list(text):
    """The elements of a list with commas, of which brackets may contain some."""
    parts, depth = [""], 0
    for character in text.replace("->", "\0"):
        depth += (character in "(<[") - (character in ")>]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.replace("\0", "->").strip() for part in parts if part.strip()]


def c_type(rust):
    """The C type of a Rust type, by which a C compiler checks it."""
    rust = re.sub(r"/\*.*?\*/", "", rust).strip()
    for start, qualifier in (("*const ", "const "), ("*mut ", "")):
        if rust.startswith(start):
            return f"__typeof__({qualifier}__typeof__({c_type(rust[len(start):])})*)"
    array = re.fullmatch(r"\[(.*); (\w+)(?: as usize)?\]", rust)
    if array:
        return f"__typeof__({c_type(array.group(1))})[{array.group(2)}]"
    function = re.fullmatch(r'Option<unsafe extern "C" fn\((.*)\)(?: -> ([^()]*))?>', rust)
    if function:
        parameters = [c_type(one.split(": ", 1)[1]) for one in split_list(function.group(1))]
        return f"{c_type(function.group(2) or 'c_void')} (*)({', '.join(parameters) or 'void'})"
    return {r: c for c, r in SCALARS.items()}.get(rust, rust)


# In a test both programs print the same lines: "NAME value", "STRUCT size", "STRUCT.MEMBER offset
# size".
PROGRAMS = {
    "c": {
        "constant": 'printf("{0} %lld\\n", (long long){0});',
        "size": 'printf("{0} %zu\\n", sizeof({0}));',
        "member": '_Static_assert(__builtin_types_compatible_p('
                  '__typeof__((({0}*)0)->{1}), {3}), "{0}.{1}");\n'
                  '    printf("{0}.{1} %zu %zu\\n", offsetof({0}, {1}), sizeof((({0}*)0)->{1}));',
        "frame": "#include <stddef.h>\n#include <stdio.h>\n{includes}int main(void) {{\n{lines}}}\n"},
    "rust": {
        "constant": 'println!("{0} {{}}", {0} as i64);',
        "size": 'println!("{0} {{}}", size_of::<{0}>());',
        "member": "member!({0}, {1}, {2});",
        "frame": """use broch::sys::*;
use std::mem::{{size_of, MaybeUninit}};
fn size_of_pointee<T>(_: *const T) -> usize {{
    size_of::<T>()
}}
macro_rules! member {{
    ($owner:ident, $name:ident, $member:ident) => {{
        let one = MaybeUninit::<$owner>::uninit();
        let member = unsafe {{ std::ptr::addr_of!((*one.as_ptr()).$member) }};
        let offset = member as usize - one.as_ptr() as usize;
        println!("{{}}.{{}} {{}} {{}}", stringify!($owner), stringify!($name), offset,
                 size_of_pointee(member));
    }};
}}
fn main() {{
{lines}}}
"""}}


def layout(headers, language):
    program, lines = PROGRAMS[language], ""
    for header in headers:
        for name in header.constants:
            lines += f"    {program['constant'].format(name)}\n"
        for name, members in header.structs.items():
            lines += f"    {program['size'].format(name)}\n"
            for member, rust in members:
                kind = c_type(rust)
                if kind == f"{name}_{member}":  # a union without a name in C
                    kind = f"__typeof__((({name}*)0)->{member})"
                lines += f"    {program['member'].format(name, member, rust_name(member), kind)}\n"
    includes = "".join(f"#include <broch/{header.name}>\n" for header in headers)
    return program["frame"].format(includes=includes, lines=lines)


def main():
    headers = read_headers()
    if "--layout" in sys.argv:
        print(layout(headers, sys.argv[-1]), end="")
        return 0
    outputs = {HERE / "src" / "sys.rs": sys_module(headers), HERE / "src" / "ops.rs": ops_module()}
    stale = [p for p, text in outputs.items() if not p.exists() or p.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path}: differs from what sdk/rust/generate.py writes; run it")
        return 1 if stale else 0
    for path in stale:
        path.write_text(outputs[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
