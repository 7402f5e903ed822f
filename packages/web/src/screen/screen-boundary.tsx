import { Component, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { ErrorNote } from "../parts/error-note.tsx";

interface ScreenBoundaryProps {
  readonly children: ReactNode;
}

interface ScreenBoundaryState {
  readonly error: Error | undefined;
}

/** A screen that breaks leaves the rest of the page working. */
export class ScreenBoundary extends Component<ScreenBoundaryProps, ScreenBoundaryState> {
  override state: ScreenBoundaryState = { error: undefined };

  static getDerivedStateFromError(error: Error): ScreenBoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    // After an update the gateway no longer has the files of the page that is still open.
    const isUpdated = /import|fetch|module/i.test(error.message);
    return (
      <div className="mx-auto flex max-w-lg flex-col items-start gap-3 p-6">
        <ErrorNote
          error={{
            message: isUpdated ? "This part of the page could not be loaded" : "This screen broke",
            upstream: error.message,
            fix: isUpdated
              ? "The gateway was updated or does not run: reload the page."
              : "Reload the page. This is a bug in Caret: please report it.",
          }}
        />
        <Button onClick={() => location.reload()} tone="primary">
          Reload
        </Button>
      </div>
    );
  }
}
