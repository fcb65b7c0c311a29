#!/usr/bin/env python3
"""Makes the operator wrappers of the SDK from opset-1.txt.

  sdk/opset/generate.py           writes sdk/include/broch/opset.h and cpp/ops.hpp
  sdk/opset/generate.py --check   exit 1 when they differ from what it would write
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "include" / "broch"
HIDDEN = {"Layout", "Device", "MemoryFormat", "Generator"}  # always the operator's default


class Argument:
    def __init__(self, text):
        declaration, _, self.default = text.partition("=")
        type_, _, self.name = declaration.strip().rpartition(" ")
        type_ = re.sub(r"\(.*?\)", "", type_).replace("SymInt", "int")
        self.optional = type_.endswith("?")
        type_ = type_.rstrip("?")
        self.list = type_.endswith("]")
        self.base = type_.split("[")[0]
        self.hidden = self.base in HIDDEN or self.name == "pin_memory"
        if self.name in {"self", "input", "end", "dtype"}:
            self.name = {"self": "x", "input": "x", "end": "end", "dtype": "dtype"}[self.name]

    def c_parameters(self):
        if self.list:
            element = {"Tensor": "broch_tensor", "int": "int64_t"}[self.base]
            return [f"const {element}* {self.name}", f"uint32_t {self.name}_count"]
        if self.base == "Tensor":
            return [f"broch_tensor {self.name}"]
        if self.base == "Scalar" or (self.optional and self.base in {"int", "float"}):
            return [f"broch_value {self.name}"]
        kind = {"int": "int64_t", "float": "double", "bool": "int", "str": "const char*",
                "ScalarType": "broch_dtype"}[self.base]
        return [f"{kind} {self.name}"]

    def c_value(self):
        name = self.name
        if self.hidden:
            return "broch_none()"
        if self.list:
            make = {"Tensor": "broch_tensors", "int": "broch_ints"}[self.base]
            if self.optional or self.default:
                make += "_or_none"
            return f"{make}({name}, {name}_count)"
        if self.base == "Tensor":
            return f"broch_of({name})" if not self.optional else f"broch_of_optional({name})"
        if self.base == "Scalar" or (self.optional and self.base in {"int", "float"}):
            return name
        make = {"int": "broch_int", "float": "broch_double", "bool": "broch_bool",
                "str": "broch_str", "ScalarType": "broch_dtype_or_none"}[self.base]
        return f"{make}({name})"

    def cpp_parameter(self):
        if self.list:
            kind = {"Tensor": "const std::vector<Tensor>&", "int": "Ints"}[self.base]
        elif self.base == "Tensor":
            kind = "const Tensor&"
        elif self.base == "Scalar":
            kind = "Scalar"
        elif self.optional and self.base in {"int", "float"}:
            kind = "Scalar"
        else:
            kind = {"int": "int64_t", "float": "double", "bool": "bool", "str": "const char*",
                    "ScalarType": "broch_dtype"}[self.base]
        return kind + " " + self.name

    def cpp_default(self):
        text = self.default.strip()
        if text in {"None", "[]"}:
            return "0" if self.base == "ScalarType" else "{}"
        if text == "Mean":
            return "BROCH_REDUCTION_MEAN"
        if self.list:
            return "{" + text + "}"
        return {"True": "true", "False": "false"}.get(text, text.replace("'", '"'))

    def cpp_arguments(self):
        if self.list:
            return ([f"handles({self.name}).data()", f"uint32_t({self.name}.size())"]
                    if self.base == "Tensor" else [f"{self.name}.data()", f"{self.name}.size()"])
        if self.base == "Tensor":
            return [f"{self.name}.handle()"]
        if self.base == "Scalar" or (self.optional and self.base in {"int", "float"}):
            return [f"{self.name}.value()"]
        return [self.name]


class Operator:
    def __init__(self, wrapper, schema):
        self.wrapper, self.schema = wrapper, schema
        body, _, results = schema.rpartition(" -> ")
        inner = body[body.index("(") + 1:-1]
        parts = [p for p in re.split(r",\s*(?![^(\[]*[)\]])", inner) if p != "*"]
        self.arguments = [Argument(p) for p in parts]
        self.shown = [a for a in self.arguments if not a.hidden]
        self.results = results.count("Tensor")
        self.overloads = ""  # in C++: the operator that takes a tensor in place of the number

    def c(self, index):
        parameters = ["broch_opset* ops"] + [p for a in self.shown for p in a.c_parameters()]
        if self.results > 1:
            parameters.append(f"broch_tensor results[{self.results}] /* out */")
        values = ",\n      ".join(a.c_value() for a in self.arguments)
        kind = "broch_tensor" if self.results == 1 else "void"
        lines = [f"/* {self.schema} */",
                 f"static inline {kind} broch_op_{self.wrapper}({', '.join(parameters)}) {{",
                 f"  const broch_value arguments[] = {{\n      {values}}};"]
        count = len(self.arguments)
        if self.results == 1:
            lines.append(f"  return broch_opset_call(ops, {index}, arguments, {count});")
        else:
            lines.append(f"  broch_opset_call_n(ops, {index}, arguments, {count}, results, "
                         f"{self.results});")
        return "\n".join(lines + ["}"])

    def cpp(self):
        parameters, defaults_from = [], len(self.shown)
        while defaults_from and self.shown[defaults_from - 1].default:
            defaults_from -= 1
        for position, argument in enumerate(self.shown):
            text = argument.cpp_parameter()
            if position >= defaults_from:
                text += " = " + argument.cpp_default()
            parameters.append(text)
        arguments = ", ".join(["&opset_"] + [x for a in self.shown for x in a.cpp_arguments()])
        if self.results == 1:
            kind, body = "Tensor", f"return wrap(broch_op_{self.wrapper}({arguments}));"
        else:
            kind = f"std::array<Tensor, {self.results}>"
            body = (f"broch_tensor results[{self.results}];\n    "
                    f"broch_op_{self.wrapper}({arguments}, results);\n    "
                    f"return wrap<{self.results}>(results);")
        written = f"  {kind} {self.wrapper}({', '.join(parameters)}) {{\n    {body}\n  }}"
        if not self.overloads:
            return written
        names = ", ".join(a.name for a in self.shown)
        return (f"{written}\n  {kind} {self.overloads}({', '.join(parameters)}) "
                f"{{ return {self.wrapper}({names}); }}")


def read():
    operators = []
    for line in (HERE / "opset-1.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            wrapper, _, schema = line.partition(" = ")
            operators.append(Operator(wrapper, schema))
    names = {o.wrapper for o in operators}
    for operator in operators:
        base = operator.wrapper.removesuffix("_scalar")
        if base != operator.wrapper and base in names:
            operator.overloads = base
    return operators


def c_header(operators):
    template = (HERE / "opset.h.in").read_text()
    quoted = [o.schema.replace('"', '\\"') for o in operators]
    schemas = "\n".join(f'      "{text}",' for text in quoted)
    wrappers = "\n\n".join(o.c(i) for i, o in enumerate(operators))
    return (template.replace("@COUNT@", str(len(operators))).replace("@SCHEMAS@", schemas)
            .replace("@WRAPPERS@", wrappers))


def cpp_header(operators):
    template = (HERE / "ops.hpp.in").read_text()
    return template.replace("@WRAPPERS@", "\n".join(o.cpp() for o in operators))


def main():
    operators = read()
    outputs = {OUT / "opset.h": c_header(operators), OUT / "cpp" / "ops.hpp": cpp_header(operators)}
    stale = [p for p, text in outputs.items() if not p.exists() or p.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path}: differs from what sdk/opset/generate.py writes; run it")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(outputs[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
