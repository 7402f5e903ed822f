/** Parts of a drawing. What is drawn has a white ground, because pages may be dark. */

const FONT = 'font-family="system-ui, sans-serif"';

export const colours = {
  caret: "#2563eb",
  floor: "#6b7280",
  others: ["#b45309", "#0f766e", "#9333ea"],
  bar: "#dc2626",
  grid: "#e5e7eb",
  ink: "#1f2937",
} as const;

export function colourOf(name: string, index: number): string {
  if (name === "caret") return colours.caret;
  if (name === "rawpipe") return colours.floor;
  return colours.others[index % colours.others.length] ?? colours.ink;
}

export interface TextStyle {
  readonly size?: number;
  readonly anchor?: "start" | "middle" | "end";
  readonly fill?: string;
}

export function svgText(x: number, y: number, words: string, style: TextStyle = {}): string {
  const { size = 12, anchor = "start", fill = colours.ink } = style;
  return `<text x="${px(x)}" y="${px(y)}" font-size="${size}" text-anchor="${anchor}" fill="${fill}">${escapeXml(words)}</text>`;
}

export function svgLine(x1: number, y1: number, x2: number, y2: number, stroke: string, width = 1): string {
  return `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" stroke="${stroke}" stroke-width="${width}"/>`;
}

export function svgRect(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" fill="${fill}"/>`;
}

export function svgPath(points: readonly (readonly [x: number, y: number])[], stroke: string): string {
  const path = points.map(([x, y]) => `${px(x)},${px(y)}`).join(" ");
  const dots = points.map(([x, y]) => `<circle cx="${px(x)}" cy="${px(y)}" r="3" fill="${stroke}"/>`).join("");
  return `<polyline points="${path}" fill="none" stroke="${stroke}" stroke-width="2"/>${dots}`;
}

export function svgDrawing(title: string, width: number, height: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" ${FONT}>`;
  const ground = svgRect(0, 0, width, height, "#ffffff");
  return `${[head, `<title>${escapeXml(title)}</title>`, ground, ...parts, "</svg>"].join("\n")}\n`;
}

function px(length: number): string {
  return String(Math.round(length * 10) / 10);
}

function escapeXml(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
