// What the pointer, the keyboard and the buttons do. Nothing here is needed to read the page.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";

  // ---- light and dark
  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // ---- numbers, written as in the drawings
  const number = (value, digits) => {
    if (value === 0) return "0";
    const size = Math.abs(value);
    let text;
    if (size >= 1e-4 && size < 1e7) {
      text = String(Number(value.toPrecision(digits)));
      if (size >= 1e4) text = text.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, "\u202f");
    } else {
      const [mantissa, power] = value.toExponential(Math.max(digits - 2, 0)).split("e");
      const raised = [...String(Number(power))].map((c) => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]);
      text = `${Number(mantissa)}×10${raised.join("")}`;
    }
    return text.replace("-", "−");
  };

  // ---- the values of a plot
  const along = (axis) => {
    const measured = axis.scale === "log" ? Math.log10 : (v) => v;
    const low = measured(axis.range[0]);
    const high = measured(axis.range[1]);
    return (value) => (measured(value) - low) / (high - low);
  };

  const plots = [];
  for (const script of document.querySelectorAll("script.values")) {
    const values = JSON.parse(script.textContent);
    const svg = script.previousElementSibling;
    const [left, top, width, height] = values.box;
    const x = along(values.x);
    const y = along(values.y);
    const plot = {
      svg, values,
      x: (value) => left + x(value) * width,
      y: (value) => top + (1 - y(value)) * height,
      off: new Set(),
      at: null,
    };
    plots.push(plot);
    listen(plot);
  }

  // ---- beside the pointer
  const tooltip = document.createElement("div");
  tooltip.id = "tooltip";
  tooltip.setAttribute("role", "status");
  tooltip.hidden = true;
  document.body.append(tooltip);
  let shown = null;

  function hide() {
    tooltip.hidden = true;
    if (shown) shown.svg.querySelector(".pointer")?.remove();
    shown = null;
  }

  // Of each visible series the point nearest to a place: along x first, then up and down.
  function nearest(plot, px, py) {
    const found = [];
    plot.values.series.forEach((series, index) => {
      if (plot.off.has(index)) return;
      let best = null;
      for (let i = 0; i < series.x.length; i++) {
        const at = [plot.x(series.x[i]), plot.y(series.y[i])];
        const dx = Math.abs(at[0] - px);
        const dy = py === null ? 0 : Math.abs(at[1] - py);
        if (!best || dx < best.dx - 0.5 || (dx <= best.dx + 0.5 && dy < best.dy)) {
          best = { series, index, i, at, dx, dy };
        }
      }
      if (best) found.push(best);
    });
    const closest = Math.min(...found.map((point) => point.dx));
    // a series that ends far from here has nothing to say here
    return found.filter((point) => point.dx <= closest + 12);
  }

  function cell(plot, px, py) {
    const heat = plot.values.heat;
    if (!heat || py === null) return null;
    const [left, top, width, height] = plot.values.box;
    const column = Math.floor((px - left) / width * heat.columns);
    const row = Math.floor((py - top) / height * heat.rows);
    if (column < 0 || row < 0 || column >= heat.columns || row >= heat.rows) return null;
    return heat.values[row * heat.columns + column];
  }

  function element(name, attributes, text) {
    const made = document.createElement(name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function drawn(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    return made;
  }

  function place(axis, value) {
    if (axis.names) return axis.names[Math.round(value)] ?? number(value, 5);
    return (axis.label ? axis.label + ": " : "") + number(value, 6);
  }

  function show(plot, px, py) {
    hide();
    const points = nearest(plot, px, py);
    const heat = cell(plot, px, py);
    if (!points.length && heat === null) return;
    shown = plot;
    const [left, top, width, height] = plot.values.box;
    const first = points.reduce((a, b) => (a && a.dx <= b.dx ? a : b), null);
    const column = first ? first.at[0] : px;
    plot.at = column;
    const pointer = drawn("g", { class: "pointer" });
    pointer.append(drawn("line", { x1: column, x2: column, y1: top, y2: top + height }));
    tooltip.replaceChildren();
    if (first) tooltip.append(element("div", { class: "place" }, place(plot.values.x, first.series.x[first.i])));
    const table = element("table", {});
    for (const { series, i, at } of points) {
      const row = element("tr", { class: "c" + series.colour });
      const name = element("th", { scope: "row" });
      name.append(element("span", { class: "swatch" }), colourless(series.name || plot.values.y.label));
      const error = series.error ? series.error[i] : null;
      const value = number(series.y[i], 5) + (error === null ? "" : " ± " + number(error, 2));
      const data = element("td", {});
      data.append(colourless(value));
      row.append(name, data);
      table.append(row);
      if (at[1] >= top - 1 && at[1] <= top + height + 1 && series.shape !== "bars") {
        pointer.append(drawn("circle", { class: "c" + series.colour, cx: at[0], cy: at[1], r: 3.5 }));
      }
    }
    if (heat !== null) {
      const row = element("tr", {});
      row.append(element("th", { scope: "row" }, plot.values.heat.label), element("td", {}, number(heat, 3)));
      table.append(row);
    }
    tooltip.append(table);
    plot.svg.append(pointer);
    tooltip.hidden = false;
    put(plot, column, py ?? first?.at[1] ?? top);
  }

  function colourless(text) {
    return element("span", { style: "color: var(--ink)" }, text);
  }

  // To the right of the place, or to its left where the window ends.
  function put(plot, px, py) {
    const matrix = plot.svg.getScreenCTM();
    const at = new DOMPoint(px, py).matrixTransform(matrix);
    tooltip.style.left = tooltip.style.top = "0";
    const { width, height } = tooltip.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    let left = at.x + 14;
    if (left + width > room - 4) left = at.x - 14 - width;
    left = Math.max(4, Math.min(left, room - width - 4));
    const top = Math.max(4, Math.min(at.y - height / 2, innerHeight - height - 4));
    tooltip.style.left = left + scrollX + "px";
    tooltip.style.top = top + scrollY + "px";
  }

  function listen(plot) {
    const { svg, values } = plot;
    const [left, top, width, height] = values.box;
    const move = (event) => {
      const matrix = svg.getScreenCTM();
      if (!matrix) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      const inside = at.x >= left - 4 && at.x <= left + width + 4 && at.y >= top - 4 && at.y <= top + height + 4;
      if (inside) show(plot, at.x, at.y);
      else hide();
    };
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", (event) => {
      if (event.target !== svg) return;
      if (event.key === "Escape") return hide();
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const places = new Set();
      values.series.forEach((series, index) => {
        if (!plot.off.has(index)) series.x.forEach((value) => places.add(plot.x(value)));
      });
      const sorted = [...places].filter((px) => px >= left - 1 && px <= left + width + 1).sort((a, b) => a - b);
      if (!sorted.length) return;
      let next;
      if (step === -Infinity) next = sorted[0];
      else if (step === Infinity) next = sorted[sorted.length - 1];
      else if (shown !== plot) next = step > 0 ? sorted[0] : sorted[sorted.length - 1];
      else if (step > 0) next = sorted.find((px) => px > plot.at + 0.01) ?? sorted[sorted.length - 1];
      else next = sorted.findLast((px) => px < plot.at - 0.01) ?? sorted[0];
      show(plot, next, null);
    });
  }
  document.addEventListener("pointerdown", (event) => {
    if (shown && !shown.svg.contains(event.target)) hide();
  });

  // ---- legends switch series off and on
  const attribute = (element, name, value) =>
    value === null ? element.removeAttribute(name) : element.setAttribute(name, value);

  function entriesWith(entry) {
    return [...entry.closest("svg").querySelectorAll(".legend-entry")];
  }

  function set(entry, on) {
    const svg = entry.closest("svg");
    const index = Number(entry.dataset.series);
    const panels = svg.classList.contains("legend")
      ? svg.closest(".drawing").querySelectorAll("svg.panel")
      : [svg];
    entry.setAttribute("aria-pressed", String(on));
    attribute(entry, "opacity", on ? null : "0.38");
    for (const panel of panels) {
      const series = panel.querySelector(`.series[data-series="${index}"]`);
      if (series) attribute(series, "display", on ? null : "none");
      const plot = plots.find((plot) => plot.svg === panel);
      if (plot) on ? plot.off.delete(index) : plot.off.add(index);
    }
    hide();
  }

  const pressed = (entry) => entry.getAttribute("aria-pressed") === "true";
  for (const entry of document.querySelectorAll(".drawing .legend-entry")) {
    entry.addEventListener("click", () => set(entry, !pressed(entry)));
    entry.addEventListener("dblclick", () => {
      const all = entriesWith(entry);
      const alone = all.every((other) => pressed(other) === (other === entry));
      all.forEach((other) => set(other, alone || other === entry));
    });
    entry.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      set(entry, !pressed(entry));
    });
  }

  // ---- saving a drawing: its parts share one canvas, so together they are the file
  function file(drawing) {
    const head = drawing.querySelector("svg.head");
    const [, , width, height] = head.getAttribute("viewBox").split(" ");
    const svg = drawn("svg", { width, height, viewBox: head.getAttribute("viewBox") });
    svg.setAttribute("font-family", drawing.querySelector("svg:not(.head)")?.getAttribute("font-family") ?? "sans-serif");
    const title = drawn("title", {});
    title.textContent = drawing.dataset.title;
    const description = drawn("desc", {});
    description.textContent = drawing.dataset.caption;
    svg.append(title, description);
    for (const part of drawing.querySelectorAll("svg")) {
      for (const child of part.children) {
        if (!child.classList.contains("pointer")) svg.append(child.cloneNode(true));
      }
    }
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(svg) + "\n";
  }

  for (const button of document.querySelectorAll("figure .save")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const drawing = button.closest("figure").querySelector(".drawing");
      const address = URL.createObjectURL(new Blob([file(drawing)], { type: "image/svg+xml" }));
      const link = element("a", { href: address, download: drawing.dataset.name + ".svg" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
    });
  }
})();
