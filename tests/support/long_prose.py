"""Fails where a comment or docstring of a script is wider than 100 columns, and names the lines.

  long_prose.py FOLDER...     scripts of Python and the shell, CMake's files, lists of packages
"""
import ast
import io
import pathlib
import sys
import tokenize

WIDEST = 100


def is_script(path):
    """Whether every comment begins with #. Data, which may be large, are not read for this."""
    if path.suffix in (".py", ".sh", ".cmake"):
        return True
    if path.name in ("CMakeLists.txt", "requirements.txt"):
        return True
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def is_python(path, text):
    first = text.partition("\n")[0]
    return path.suffix == ".py" or first.startswith("#!") and "python" in first


def prose_of_python(text):
    """The numbers of the lines with a comment or in a docstring."""
    numbers = {token.start[0] for token in tokenize.generate_tokens(io.StringIO(text).readline)
               if token.type == tokenize.COMMENT}
    for node in ast.walk(ast.parse(text)):
        if (isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and
                ast.get_docstring(node) is not None):
            numbers.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return numbers


def wide_lines(path):
    """The numbers and widths of what is too wide in a file."""
    text = path.read_text()
    lines = text.split("\n")
    wide = [number for number, line in enumerate(lines, 1) if len(line) > WIDEST]
    if wide and is_python(path, text):
        wide = prose_of_python(text).intersection(wide)
    else:
        wide = [number for number in wide if lines[number - 1].lstrip().startswith("#")]
    return [(number, len(lines[number - 1])) for number in sorted(wide)]


def main():
    paths = [path for folder in sys.argv[1:] for path in sorted(pathlib.Path(folder).rglob("*"))
             if path.is_file() and "__pycache__" not in path.parts and is_script(path)]
    assert len(paths) > 300, "these are not the folders of the repository"
    mistakes = [f"{path}:{number}: {width} columns, expected at most {WIDEST}"
                for path in paths for number, width in wide_lines(path)]
    print("\n".join(mistakes), end="\n" if mistakes else "")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
