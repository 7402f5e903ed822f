import { CaretError, type ErrorInfo } from "@caret/protocol";

/** Whatever was thrown, as something that can be shown. */
export function toErrorInfo(reason: unknown): ErrorInfo {
  return CaretError.from(reason).toInfo();
}
