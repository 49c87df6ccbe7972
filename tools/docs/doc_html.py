# SPDX-License-Identifier: MIT
"""Writes a comment, as Doxygen's XML has it, as HTML."""

from html import escape

TAGS = {"bold": "strong", "emphasis": "em", "itemizedlist": "ul", "orderedlist": "ol", "listitem": "li", "table": "table", "row": "tr",
        "blockquote": "blockquote"}


def code_of(xml):
    """The text of a block of code: its spaces are elements."""
    def text(node):
        parts = [node.text or ""]
        for child in node:
            parts.append(" " if child.tag == "sp" else text(child))
            parts.append(child.tail or "")
        return "".join(parts)

    if xml.tag == "verbatim":
        return text(xml)
    return "\n".join(text(line) for line in xml.iter("codeline"))


class Writer:
    """Writes comments for a page: names in them link to their places."""

    def __init__(self, index, page, highlight):
        self.index, self.page, self.highlight = index, page, highlight

    def inline_code(self, text):
        link = self.index.link(text, self.page)
        code = f"<code>{escape(text)}</code>"
        return f'<a href="{escape(link)}">{code}</a>' if link else code

    def content(self, xml):
        parts = [escape(xml.text or "")]
        for child in xml:
            parts += [self.node(child), escape(child.tail or "")]
        return "".join(parts)

    def node(self, xml):
        if xml.tag == "para":
            return self.paragraph(xml)
        if xml.tag == "computeroutput":
            return self.inline_code("".join(xml.itertext()))
        if xml.tag in ("programlisting", "verbatim"):
            return self.highlight(code_of(xml))
        if xml.tag == "simplesect":
            return self.fact(xml)
        if xml.tag == "entry":
            tag = "th" if xml.get("thead") == "yes" else "td"
            return f"<{tag}>{''.join(self.content(part) for part in xml)}</{tag}>"
        if xml.tag == "linebreak":
            return "<br>"
        if xml.tag == "ulink":
            return f'<a href="{escape(xml.get("url"))}">{self.content(xml)}</a>'
        if xml.tag == "table":
            return f'<div class="wide"><table>{"".join(self.node(row) for row in xml)}</table></div>'
        if xml.tag == "listitem":
            return f"<li>{''.join(self.content(part) if part.tag == 'para' else self.node(part) for part in xml)}</li>"
        tag = TAGS.get(xml.tag)
        return f"<{tag}>{self.content(xml)}</{tag}>" if tag else self.content(xml)

    def paragraph(self, xml):
        """A paragraph. What cannot stand in a paragraph of HTML ends it, and begins another after itself."""
        parts, text = [], escape(xml.text or "")
        for child in xml:
            if child.tag in ("programlisting", "verbatim", "simplesect", "table", "itemizedlist", "orderedlist"):
                parts += [f"<p>{text.strip()}</p>" if text.strip() else "", self.node(child)]
                text = escape(child.tail or "")
            else:
                text += self.node(child) + escape(child.tail or "")
        return "".join(parts) + (f"<p>{text.strip()}</p>\n" if text.strip() else "")

    def fact(self, xml):
        title = xml.findtext("title") or xml.get("kind").capitalize()
        body = "".join(self.content(part) for part in xml if part.tag == "para")
        return f'<dl class="fact"><dt>{escape(title)}</dt><dd>{body.strip()}</dd></dl>\n'

    def comment(self, xml):
        parts = [self.node(para) for tag in ("briefdescription", "detaileddescription")
                 if xml.find(tag) is not None for para in xml.find(tag)]
        return "".join(parts).replace("</dl>\n<dl class=\"fact\">", "")
