"""A picture of the results that needs nothing to be drawn with: how many times as fast as its peers,
and what doubling each size costs."""

import math
from xml.sax.saxutils import escape

WIDTH, MARGIN = 860, 24
INK, FAINT, BAR = "#222222", "#9a9a9a", "#3b6ea8"
# Told apart without colour too: by their labels at the end of each line.
COLOURS = ["#3b6ea8", "#c4572b", "#3f8f5f", "#8a5aa8"]


def text(x, y, words, size=12, fill=INK, anchor="start"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" '
        f'text-anchor="{anchor}">{escape(words)}</text>'
    )


def line(x1, y1, x2, y2, stroke=FAINT, width=1.0, dash=""):
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{stroke}" stroke-width="{width}"{dashed}/>'
    )


def picture(curves, rows):
    """The SVG: a bar for each row that is a ratio of speeds, then the curves."""
    marks, y = [], MARGIN
    speeds = [row for row in rows if row.figure.endswith("×") and row.theirs]
    if speeds:
        drawn, y = bars(speeds, y)
        marks += drawn
    if curves:
        drawn, y = doublings(curves, y)
        marks += drawn
    body = "\n".join(marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:.0f}" '
        f'font-family="system-ui, sans-serif">\n'
        f'<rect width="{WIDTH}" height="{y:.0f}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def bars(rows, y):
    """Ratios of speed on a logarithmic axis, with a tick where the target is."""
    left, right = 390, WIDTH - 90
    targets = [float(row.target.strip("≥× ")) if row.target else 1 for row in rows]
    top = max([row.value for row in rows] + targets + [2])
    low = min([row.value for row in rows] + [1])

    def x(value):
        return left + (right - left) * math.log(value / low) / math.log(top / low)

    marks = [
        text(MARGIN, y + 6, "Times as fast as beside it (logarithmic; the tick is the target)", 14)
    ]
    y += 26
    for row, target in zip(rows, targets):
        what = row.what if not row.what.startswith("–") else f"    {row.what}"
        marks.append(text(left - 8, y + 13, what, 11, anchor="end"))
        start, end = sorted((x(1), x(row.value)))
        size = f'width="{max(end - start, 1):.1f}" height="14"'
        marks.append(f'<rect x="{start:.1f}" y="{y + 2:.1f}" {size} fill="{BAR}"/>')
        if row.target:
            marks.append(line(x(target), y - 1, x(target), y + 19, INK, 2))
        # Beside the bar, unless the tick is in the way.
        tick = x(target) if row.target else end
        edge = tick if end <= tick < end + 50 else end
        marks.append(text(edge + 6, y + 13, row.figure, 11))
        y += 22
    return marks, y + 28


def doublings(curves, y):
    """Cost against the factor of each size, both on logarithmic axes; dashed is linear."""
    marks = [text(MARGIN, y + 6, "Cost of an update when one size grows (dashed: linear)", 14)]
    left, right, top, bottom = 80, WIDTH - 190, y + 40, y + 320
    count = max(len(costs) for costs in curves.values())
    ratios = [cost / costs[0] for costs in curves.values() for cost in costs]
    highest = max([2.0 ** (count - 1)] + ratios)

    def place(doubling, ratio):
        x = left + (right - left) * doubling / (count - 1)
        return x, bottom - (bottom - top) * math.log2(max(ratio, 1e-9)) / math.log2(highest)

    for doubling in range(count):
        x, tick = place(doubling, 2.0**doubling)
        marks += [line(x, top, x, bottom, "#e6e6e6"), line(left, tick, right, tick, "#e6e6e6")]
        marks.append(text(x, bottom + 18, f"×{2**doubling}", 11, anchor="middle"))
        marks.append(text(left - 8, tick + 4, f"{2**doubling}", 11, anchor="end"))
    base = "size, relative to 784×10, 20 rungs, 5 columns"
    marks.append(text((left + right) / 2, bottom + 36, base, 11, anchor="middle"))
    marks.append(text(left, top - 8, "cost, relative to the same", 11))
    marks.append(line(*place(0, 1), *place(count - 1, 2.0 ** (count - 1)), FAINT, 1.5, "5 4"))
    ends = []
    for colour, (size, costs) in zip(COLOURS, curves.items()):
        points = [place(doubling, cost / costs[0]) for doubling, cost in enumerate(costs)]
        joined = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        marks.append(
            f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        marks += [
            f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}"/>' for px, py in points
        ]
        ends.append((points[-1][1], f"{size} ({costs[-1] / costs[0]:.2g}×)", colour))
    lowest = -math.inf
    for height, words, colour in sorted(ends):
        # Labels that would lie on each other move down.
        lowest = max(height, lowest + 15)
        marks.append(text(right + 10, lowest + 4, words, 12, colour))
    return marks, bottom + 56
