# SPDX-License-Identifier: MIT
"""Writes the declaration of a name as C++ text."""

import re


def text_of(xml):
    return "" if xml is None else "".join(xml.itertext()).strip()


def tidy(text):
    """Doxygen writes `std::vector< T >` and `T &x`, `limit=0`; this is the house's spelling."""
    text = re.sub(r"< +", "<", text)
    text = re.sub(r"(?<=[\w>\]*&.]) +>", ">", text)
    text = re.sub(r" ([&*]+)(?=\w)", r"\1 ", text)
    text = re.sub(r" ([&*]+)(?=[,)>.]|$)", r"\1", text)
    return re.sub(r"(?<=\w)=(?=[\w{])", " = ", text)


def template_of(xml):
    parameters = xml.find("templateparamlist")
    if parameters is None:
        return ""
    parts = []
    for parameter in parameters:
        part = text_of(parameter.find("type"))
        name = parameter.findtext("declname")
        if name and name not in part.split():
            part += " " + name
        if (default := parameter.find("defval")) is not None:
            part += " = " + text_of(default)
        parts.append(part)
    return f"template <{tidy(', '.join(parts))}>\n"


def declaration(name):
    xml = name.xml
    if name.kind in ("class", "struct", "union"):
        bases = ", ".join(tidy(text_of(base)) for base in xml.findall("basecompoundref") if base.get("prot") == "public"
                          and "detail::" not in text_of(base))
        return f"{template_of(xml)}{name.kind} {name.name}{' : public ' + bases if bases else ''};"
    if name.kind == "concept":
        text = re.sub(r"concept futon::(?:core::)?", "concept ", text_of(xml.find("initializer")))
        return tidy(text).replace("template<", "template <").replace(" =  ", " = ")
    if name.kind == "define":
        return f"#define {name.name} {text_of(xml.find('initializer'))}"
    if name.kind == "enum":
        values = []
        for value in xml.findall("enumvalue"):
            initializer = text_of(value.find("initializer"))
            values.append(value.findtext("name") + (" " + initializer if initializer else ""))
        return f"enum class {name.name} {{ {', '.join(values)} }};"
    kind = text_of(xml.find("type"))
    kind = re.sub(r"^friend ", "friend ", kind)
    if name.kind == "typedef":
        return f"{template_of(xml)}using {name.short} = {tidy(kind)};"
    words = [word for word, is_set in (("static", xml.get("static") == "yes" and "::" in name.name),
                                       ("virtual", xml.get("virt") in ("virtual", "pure-virtual")),
                                       ("explicit", xml.get("explicit") == "yes")) if is_set]
    if name.kind == "friend" and "friend" not in kind:
        words.append("friend")
    head = " ".join([*words, tidy(kind)]).replace("constexpr explicit", "explicit constexpr").strip()
    arguments = tidy(xml.findtext("argsstring") or "")
    if name.kind == "variable":
        value = tidy(text_of(xml.find("initializer")))
        return f"{template_of(xml)}{head} {name.short}{' ' + value if value and len(value) < 80 else ''};"
    end = " = 0" if arguments.endswith("=0") else ""
    arguments = re.sub(r" ?=(default|delete|0)$", lambda m: "" if m.group(1) == "0" else f" = {m.group(1)}", arguments)
    arguments = re.sub(r"\)(&&?)", r") \1", arguments)
    requires = text_of(xml.find("requiresclause"))
    constraint = f"\n    requires {tidy(requires)}" if requires else ""
    return f"{template_of(xml)}{head + ' ' if head else ''}{name.short}{wrapped(arguments, len(head) + len(name.short))}{end}{constraint};"


def wrapped(arguments, column):
    """A long list of parameters, a line each."""
    if column + len(arguments) < 92 or not arguments.startswith("("):
        return arguments
    depth, begin, parts = 0, 1, []
    for place, c in enumerate(arguments):
        depth += (c in "(<[{") - (c in ")>]}" and arguments[place - 1] != "-")
        if c == "," and depth == 1:
            parts.append(arguments[begin:place].strip())
            begin = place + 1
        if depth == 0:
            parts.append(arguments[begin:place].strip())
            return "(\n    " + ",\n    ".join(parts) + arguments[place:]
    return arguments
