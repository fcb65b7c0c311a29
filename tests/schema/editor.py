"""What an editor does with a JSON Schema of draft 7: it finds the schemas that hold for a place in
a text and offers the keys and values that they name. The way is the one of VS Code's JSON service:
$ref, allOf, anyOf, oneOf, and then or else of an if that is tried on what stands there."""
import jsonschema


def read_jsonc(text):
    """JSON with comments and trailing commas, as JSON."""
    kept, i = [], 0
    while i < len(text):
        if text[i] == '"':
            end = i + 1
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            kept.append(text[i:end + 1])
            i = end + 1
        elif text.startswith("//", i):
            i = text.find("\n", i) if "\n" in text[i:] else len(text)
        elif text.startswith("/*", i):
            i = text.index("*/", i) + 2
        else:
            if text[i] in "]}":
                while kept and (kept[-1].isspace() or kept[-1] == ","):
                    kept.pop()
            kept.append(text[i])
            i += 1
    return "".join(kept)


class Editor:
    def __init__(self, schema):
        self.schema = schema
        resolver = jsonschema.RefResolver.from_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema, resolver=resolver)
        self.resolver = resolver

    def holds(self, schema, value):
        return self.validator.evolve(schema=schema).is_valid(value)

    def spread(self, schema, value):
        """The schema and those that hold together with it."""
        if schema is True or schema is False:
            return
        if "$ref" in schema:
            yield from self.spread(self.resolver.resolve(schema["$ref"])[1], value)
            return
        yield schema
        for keyword in ("allOf", "anyOf", "oneOf"):
            for branch in schema.get(keyword, []):
                yield from self.spread(branch, value)
        if "if" in schema:
            chosen = "then" if self.holds(schema["if"], value) else "else"
            yield from self.spread(schema.get(chosen, True), value)

    def at(self, text, path):
        """The schemas for the value at a path of keys and places."""
        schemas, value = list(self.spread(self.schema, text)), text
        for step in path:
            known = isinstance(value, (dict, list)) and (
                step in value if isinstance(value, dict) else step < len(value))
            value = value[step] if known else None
            inner = []
            for schema in schemas:
                below = schema.get("properties", {}).get(step) if isinstance(step, str) else schema.get("items")
                if below is not None:
                    inner += self.spread(below, value)
            schemas = inner
        return schemas

    def keys(self, text, path):
        """What may be written in the object at a path, with what is said of it."""
        found = {}
        for schema in self.at(text, path):
            for key, below in schema.get("properties", {}).items():
                words = next((one["description"] for one in self.spread(below, None) if "description" in one), "")
                found[key] = found.get(key) or words
        return found

    def values(self, text, path):
        """What may be written at a path, with what is said of it."""
        found = {}
        for schema in self.at(text, path):
            words = schema.get("enumDescriptions", [""] * len(schema.get("enum", [])))
            for value, said in list(zip(schema.get("enum", []), words)) + [
                    (value, "") for value in schema.get("examples", [])]:
                found[value] = found.get(value) or said
        return found

    def faults(self, text):
        """(path, message) of the innermost faults."""
        def leaves(error):
            if error.context:
                for inner in error.context:
                    yield from leaves(inner)
            else:
                yield "/" + "/".join(str(step) for step in error.absolute_path), error.message
        return [fault for error in self.validator.iter_errors(text) for fault in leaves(error)]
