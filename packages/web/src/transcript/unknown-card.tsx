import { CircleQuestionMark } from "lucide-react";
import { Card } from "./card.tsx";
import { ScrollBox } from "./scroll-box.tsx";
import type { ItemOf } from "./transcript-rows.ts";

/** Something upstream sent that Caret does not know yet: shown as it came. */
export function UnknownCard({ item }: { readonly item: ItemOf<"unknown"> }) {
  const text = JSON.stringify(item.value, undefined, 2) ?? "";
  return (
    <Card
      seq={item.seq}
      icon={CircleQuestionMark}
      title={
        <>
          <span className="shrink-0 text-soft">Unrecognised event</span>
          <span className="truncate font-mono text-[12px] text-faint">{item.label}</span>
        </>
      }
      copyText={text}
    >
      <ScrollBox label="What was sent">{text}</ScrollBox>
    </Card>
  );
}
