"""Settings of Sphinx for these pages. tools/docs builds the site; warnings are errors there."""
import os
import pathlib
import re
import shutil

from docutils import nodes

project = "Broch"
extensions = ["myst_parser"]
root_doc = "index"
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "240px", "show_powered_by": False}
html_show_copyright = False
html_show_sourcelink = False
myst_heading_anchors = 4  # links to headings, as code hosts have them

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([A-Za-z0-9_/]+)\.md\)")
linked_files = set()


def add_toctree(app, docname, source):
    """The order of the pages is that of the links in the pages that list them."""
    if docname not in ("index", "plugins/README", "data/README"):
        return
    pages = list(dict.fromkeys(LINK.findall(source[0])))
    source[0] += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def link_source(app, env, node, content):
    """A link to a file of the source tree leads to a copy of it in the site, below tree/."""
    page = pathlib.Path(env.doc2path(node["refdoc"]))
    target = (page.parent / node["reftarget"]).resolve()
    if not target.is_file() or ROOT not in target.parents:
        return None  # a warning: there is no such file
    copy = "tree/" + str(target.relative_to(ROOT))
    linked_files.add(target)
    here = os.path.dirname(app.builder.get_target_uri(node["refdoc"]))
    return nodes.reference("", "", content, internal=True, refuri=os.path.relpath(copy, here or "."))


def copy_sources(app, failure):
    for file in linked_files if failure is None else ():
        copy = pathlib.Path(app.outdir) / "tree" / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def setup(app):
    app.connect("source-read", add_toctree)
    app.connect("missing-reference", link_source)
    app.connect("build-finished", copy_sources)
