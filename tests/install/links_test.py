"""Every link between installed pages and files leads somewhere: links_test.py PREFIX"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)

share = pathlib.Path(sys.argv[1]) / "share"
pages = [*share.glob("doc/broch/**/*.md"), *share.glob("broch/samples/**/*.md")]
links = [(page, link) for page in pages for link in LINK.findall(BLOCK.sub("", page.read_text()))
         if "://" not in link]
dead = [f"{page}: {link}" for page, link in links if not (page.parent / link).exists()]
print(f"{len(links)} links on {len(pages)} pages, {len(dead)} lead nowhere")
sys.exit("\n".join(dead) if dead or len(links) < 100 else 0)
