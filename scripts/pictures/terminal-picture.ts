const LINE = 18;
const CELL = 7.83;
const MARGIN = 16;

/** What a terminal showed, as an SVG in the style of the other pictures: one line of text for each, light or dark as the reader has it. */
export function terminalPicture(title: string, lines: readonly string[]): string {
  const columns = Math.max(...lines.map((line) => line.length));
  const width = Math.ceil(columns * CELL) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const rows = lines.map((line, index) => {
    const isTyped = line.startsWith("$ ");
    const y = MARGIN + (index + 1) * LINE - 5;
    return `    <text x="${MARGIN}" y="${y}"${isTyped ? ' class="typed"' : ""} xml:space="preserve">${escaped(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">`,
    `  <title id="title">${escaped(title)}</title>`,
    "  <style>",
    "    rect { fill: #fff; stroke: #6b7280 }",
    "    text { fill: #1f2937 }",
    "    .typed { font-weight: 600 }",
    "    @media (prefers-color-scheme: dark) {",
    "      rect { fill: #111827; stroke: #9ca3af }",
    "      text { fill: #f3f4f6 }",
    "    }",
    "  </style>",
    `  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" />`,
    "  <g>",
    ...rows,
    "  </g>",
    "</svg>",
    "",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
