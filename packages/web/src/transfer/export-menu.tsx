import type { ExportFormat } from "@caret/protocol";
import { Braces, Download, FileCode, FileText, Rows3 } from "lucide-react";
import { useApi } from "../data/use-api.ts";
import { Menu } from "../parts/menu.tsx";
import { showError } from "../parts/toast.tsx";
import { saveFile } from "./save-file.ts";

const formats = [
  { format: "markdown", label: "Markdown", icon: <FileText aria-hidden="true" size={14} /> },
  { format: "html", label: "HTML page", icon: <FileCode aria-hidden="true" size={14} /> },
  { format: "ndjson", label: "Replayable NDJSON", icon: <Rows3 aria-hidden="true" size={14} /> },
  { format: "seed", label: "Agent stream NDJSON", icon: <Braces aria-hidden="true" size={14} /> },
] as const satisfies readonly { readonly format: ExportFormat; readonly [key: string]: unknown }[];

/** Saves the session as a file. Secrets are redacted in all of them, as they are in the log itself. */
export function ExportMenu({ sessionId }: { readonly sessionId: string }) {
  const api = useApi();
  const items = formats.map(({ format, label, icon }) => ({
    label,
    icon,
    onChoose: () => {
      api.exportSession(sessionId, format).then(saveFile, showError);
    },
  }));
  return <Menu icon={<Download aria-hidden="true" size={16} />} items={items} label="Export this session" />;
}
