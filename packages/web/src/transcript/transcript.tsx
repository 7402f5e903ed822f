import "./transcript.css";
import type { Transcript as TranscriptData } from "@caret/protocol";
import { ArrowDown } from "lucide-react";
import { memo, type ReactNode, type Ref, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { Markdown } from "../markdown/markdown.tsx";
import { Button } from "../parts/button.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { type CardMemory, CardMemoryProvider } from "./card.tsx";
import { ExploredRowView } from "./explored-row.tsx";
import { NoticeRow } from "./notice-row.tsx";
import { PlanCard } from "./plan-card.tsx";
import { QuestionCard } from "./question-card.tsx";
import { ThinkingRow } from "./thinking-row.tsx";
import { TodosCard } from "./todos-card.tsx";
import { ToolCard } from "./tool-card.tsx";
import { WorkspaceProvider } from "./tool-words.ts";
import { type TranscriptActions, TranscriptActionsProvider } from "./transcript-actions.ts";
import { type TranscriptHandle, useTranscriptHandle } from "./transcript-handle.ts";
import { type ItemRow, isSameRow, type TranscriptRow, toRows } from "./transcript-rows.ts";
import { TurnEnd } from "./turn-end.tsx";
import { TurnPrompt } from "./turn-prompt.tsx";
import { UnknownCard } from "./unknown-card.tsx";
import { useStickToBottom } from "./use-stick-to-bottom.ts";

/** One item of a turn. It is drawn again only when it looks different. */
const TranscriptItemView = memo(
  ({ row }: { readonly row: ItemRow }) => renderItem(row),
  (before, after) => isSameRow(before.row, after.row),
);

/** Older events are asked for when less than this is left above. */
const NEAR_TOP = 800;

interface TranscriptProps {
  readonly transcript: TranscriptData;
  /** What a reader may do; nothing by default. Keep its identity: every card depends on it. */
  readonly actions?: TranscriptActions;
  readonly hasOlder?: boolean;
  readonly isLoadingOlder?: boolean;
  readonly onOlder?: () => void;
  /** The reader has just said something: a new value brings the end into sight. */
  readonly jumpSignal?: number;
  readonly handle?: Ref<TranscriptHandle>;
}

const noActions: TranscriptActions = {};

/** A session to read, from any source: live, or a replay. Only what is in sight is drawn. */
export function Transcript({ transcript, actions = noActions, hasOlder = false, ...older }: TranscriptProps) {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const memory = useMemo<CardMemory>(() => new Map(), []);
  const rows = useMemo(() => toRows(transcript), [transcript]);
  const isShift = useIsShift(transcript);
  const virtualizer = useRef<VirtualizerHandle>(null);
  const { isStuck, jump, release } = useStickToBottom(scroller, content);
  const marked = useTranscriptHandle(older.handle, { rows, scroller, virtualizer, release });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the signal that asks for it
  useEffect(jump, [jump, older.jumpSignal]);
  useOlder(scroller, hasOlder && older.isLoadingOlder !== true, older.onOlder);
  const lastTurnId = transcript.turns.at(-1)?.turnId;
  return (
    <div className="relative min-h-0 flex-1">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <section ref={scroller} tabIndex={0} aria-label="Transcript" className="transcript-scroll">
        <h2 className="sr-only">Transcript</h2>
        <p className="h-6 text-center text-[12px] text-faint leading-6">
          {older.isLoadingOlder ? "Loading what was before…" : hasOlder ? "" : "The beginning of the session"}
        </p>
        <div ref={content} className="pb-4">
          <CardMemoryProvider value={memory}>
            <TranscriptActionsProvider value={actions}>
              <WorkspaceProvider value={transcript.turns.at(-1)?.start?.workspace}>
                <Virtualizer
                  ref={virtualizer}
                  data={rows}
                  scrollRef={scroller}
                  startMargin={24}
                  shift={isShift}
                  bufferSize={400}
                >
                  {(row) => (
                    <div
                      key={row.key}
                      className="mx-auto max-w-3xl px-2 py-1 data-found:rounded-md data-found:bg-accent/10 md:px-4"
                      data-found={row.key === marked ? "" : undefined}
                    >
                      {renderRow(row, lastTurnId)}
                    </div>
                  )}
                </Virtualizer>
              </WorkspaceProvider>
            </TranscriptActionsProvider>
          </CardMemoryProvider>
        </div>
      </section>
      {!isStuck && <JumpButton onClick={jump} />}
    </div>
  );
}

function renderRow(row: TranscriptRow, lastTurnId: string | undefined) {
  if (row.kind === "prompt") return <TurnPrompt turn={row.turn} />;
  if (row.kind === "explored") return <ExploredRowView row={row} />;
  if (row.kind === "end") return <TurnEnd turn={row.turn} isLast={row.turn.turnId === lastTurnId} />;
  return <TranscriptItemView row={row} />;
}

function JumpButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
      <Button
        className="pointer-events-auto rounded-full shadow-md"
        icon={<ArrowDown aria-hidden="true" size={14} />}
        onClick={onClick}
      >
        Jump to latest
      </Button>
    </div>
  );
}

/** Whether older events have just come in: the list then keeps its scroll position by its end. */
function useIsShift({ turns }: TranscriptData): boolean {
  const firstSeq = turns[0]?.firstSeq;
  const before = useRef(firstSeq);
  useLayoutEffect(() => {
    before.current = firstSeq;
  }, [firstSeq]);
  return firstSeq !== undefined && before.current !== undefined && firstSeq < before.current;
}

function useOlder(scroller: RefObject<HTMLElement | null>, isWanted: boolean, onOlder: (() => void) | undefined): void {
  useEffect(() => {
    const element = scroller.current;
    if (!isWanted || element === null || onOlder === undefined) return;
    const look = (): void => {
      if (element.scrollTop < NEAR_TOP) onOlder();
    };
    element.addEventListener("scroll", look, { passive: true });
    // Too few rows to scroll at all: then nobody would ever ask.
    const timer = setTimeout(() => element.scrollHeight <= element.clientHeight && onOlder(), 200);
    return () => {
      element.removeEventListener("scroll", look);
      clearTimeout(timer);
    };
  }, [scroller, isWanted, onOlder]);
}

function renderItem({ item, isOver, isOutdated, isNext, steps }: ItemRow): ReactNode {
  switch (item.kind) {
    case "text":
      return (
        <div className="px-2 py-1">
          {item.isTail && <p className="text-[12px] text-faint">The beginning of this text is not loaded yet.</p>}
          <Markdown text={item.text} isOpen={item.isOpen && !isOver} />
        </div>
      );
    case "thinking":
      return <ThinkingRow item={item} isOver={isOver} />;
    case "tool":
      return <ToolCard item={item} steps={steps} isOver={isOver} />;
    case "todos":
      return <TodosCard item={item} isOutdated={isOutdated} />;
    case "plan":
      return <PlanCard item={item} />;
    case "question":
      return <QuestionCard item={item} isOver={isOver} />;
    case "approval":
      return <ApprovalCard item={item} isOver={isOver} isNext={isNext} />;
    case "notice":
      return <NoticeRow isOver={isOver} item={item} />;
    case "unknown":
      return <UnknownCard item={item} />;
  }
}
