import type { ExportFormat } from "@caret/protocol";
import { Braces, Download, FileCode, FileText, History, Rows3 } from "lucide-react";
import { useLocation } from "wouter";
import { useApi } from "../data/page-hooks.ts";
import { Menu } from "../parts/menu.tsx";
import { showError } from "../parts/toast.tsx";
import { saveFile } from "./save-file.ts";

const formats = [
  { format: "markdown", label: "Markdown", icon: <FileText aria-hidden="true" size={14} /> },
  { format: "html", label: "HTML page", icon: <FileCode aria-hidden="true" size={14} /> },
  { format: "ndjson", label: "Replayable NDJSON", icon: <Rows3 aria-hidden="true" size={14} /> },
  { format: "seed", label: "Agent stream NDJSON", icon: <Braces aria-hidden="true" size={14} /> },
] as const satisfies readonly { readonly format: ExportFormat; readonly [key: string]: unknown }[];

/** Saves the session as a file, or plays it. Secrets are redacted in all of them, as they are in the log itself. */
export function ExportMenu({ sessionId }: { readonly sessionId: string }) {
  const api = useApi();
  const [, go] = useLocation();
  const exports = formats.map(({ format, label, icon }) => ({
    label,
    icon,
    onChoose: () => {
      api.exportSession(sessionId, format).then(saveFile, showError);
    },
  }));
  const replay = {
    label: "Replay it here",
    icon: <History aria-hidden="true" size={14} />,
    onChoose: () => go(`/s/${sessionId}/replay`),
  };
  return (
    <Menu
      icon={<Download aria-hidden="true" size={16} />}
      items={[...exports, replay]}
      label="Export or replay this session"
    />
  );
}
