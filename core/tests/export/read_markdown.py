# Prints what markdown-it makes of a Markdown file, as JSON: the text of headings, the items of checklists, the addresses of
# links, and the kinds of everything. PYTHONPATH names markdown-it.
import json
import sys

from markdown_it import MarkdownIt

with open(sys.argv[1], encoding="utf-8") as file:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(file.read())
inline = [token for token in tokens if token.type == "inline"]
kinds = {token.type for token in tokens} | {part.type for token in inline for part in token.children}
links = [part.attrs["href"] for token in inline for part in token.children if part.type == "link_open"]
headings = [(before.tag, "".join(part.content for part in token.children))
            for before, token in zip(tokens, tokens[1:]) if before.type == "heading_open"]
items = [token.content for token in inline if token.content.startswith("[ ] ")]
json.dump({"headings": headings, "items": items, "links": links, "kinds": sorted(kinds)}, sys.stdout)
