"""Draws numbers as bars into an SVG file."""

import html
import math
import statistics

NAME, WIDTH, ROW, TOP, NUMBER = 230, 560, 28, 56, 70  # pixels
BAR, DOT, INK, GRID = "#56b4e9", "#0072b2", "#1f2328", "#e5e5e5"


def ticks(greatest):
    """About five round numbers from 0 to at least `greatest`."""
    rough = greatest / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor for factor in (1, 2, 5, 10) if factor * power >= rough) * power
    return [step * number for number in range(math.ceil(greatest / step - 1e-9) + 1)]


def shown(number):
    """With three digits at least."""
    return f"{number:.0f}" if number >= 99.95 else f"{number:#.3g}"


def text(x, y, words, anchor, size=13, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}" fill="{INK}">{html.escape(words)}</text>')


def draw(path, title, rows):
    """Writes `path`. rows: a name and its numbers (at least one, above 0) for each bar, which is as
    long as their median; several numbers are shown as dots."""
    marks = ticks(max(max(values) for _, values in rows))
    scale, bottom = WIDTH / marks[-1], TOP + ROW * len(rows)
    shapes = [text(20, 26, title, "start", 16, "bold")]
    for mark in marks:
        x = NAME + scale * mark
        shapes.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="{GRID}"/>')
        shapes.append(text(x, bottom + 18, f"{mark:g}", "middle"))
    for number, (name, values) in enumerate(rows):
        middle, y = statistics.median(values), TOP + ROW * number + ROW / 2
        shapes.append(text(NAME - 10, y + 4.5, name, "end"))
        shapes.append(f'<rect x="{NAME}" y="{y - 9:.1f}" width="{scale * middle:.1f}" height="18" '
                      f'fill="{BAR}"/>')
        if len(values) > 1:
            shapes += [f'<circle cx="{NAME + scale * value:.1f}" cy="{y:.1f}" r="4" '
                       f'fill="{DOT}" stroke="white"/>' for value in values]
        shapes.append(text(NAME + scale * max(values) + 10, y + 4.5, shown(middle), "start"))
    lines = "\n".join(shapes)
    size = f'width="{NAME + WIDTH + NUMBER}" height="{bottom + 30}"'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">\n'
                    f'<rect width="100%" height="100%" fill="white"/>\n{lines}\n</svg>\n')
