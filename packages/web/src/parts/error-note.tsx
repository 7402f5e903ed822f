import { CaretError, type ErrorInfo } from "@caret/protocol";
import { RotateCw } from "lucide-react";
import { Button } from "./button.tsx";
import { Words } from "./field.tsx";

interface ErrorNoteProps {
  readonly error: Pick<ErrorInfo, "message" | "fix"> & { readonly upstream?: string | undefined };
  readonly onRetry?: (() => void) | undefined;
}

/** What failed, in whose words, and what to do. */
export function ErrorNote({ error, onRetry }: ErrorNoteProps) {
  return (
    <div className="rounded-md border border-bad/40 bg-bad/5 px-3 py-2" role="alert">
      <p className="font-medium text-bad [overflow-wrap:anywhere]">
        <Words text={error.message} />
      </p>
      {error.upstream !== undefined && error.upstream !== "" && (
        <pre className="mt-1 max-h-40 overflow-auto whitespace-pre-wrap font-mono text-[12px] text-soft [overflow-wrap:anywhere]">
          {error.upstream}
        </pre>
      )}
      <p className="mt-1 text-soft [overflow-wrap:anywhere]">
        <Words text={error.fix} />
      </p>
      {onRetry !== undefined && (
        <Button className="mt-2" icon={<RotateCw aria-hidden="true" size={14} />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Whatever was thrown, as something that can be shown. */
export function toErrorInfo(reason: unknown): ErrorInfo {
  return CaretError.from(reason).toInfo();
}
