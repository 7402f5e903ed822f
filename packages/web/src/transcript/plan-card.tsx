import { Map as PlanIcon } from "lucide-react";
import { Markdown } from "../markdown/markdown.tsx";
import { Card } from "./card.tsx";
import type { ItemOf } from "./transcript-rows.ts";

export function PlanCard({ item: { plan, seq } }: { readonly item: ItemOf<"plan"> }) {
  return (
    <Card
      seq={seq}
      icon={PlanIcon}
      title={
        <>
          <span className="font-medium">Plan</span>
          <span className="truncate text-soft">{plan.name}</span>
        </>
      }
      copyText={plan.text}
      isOpenAtFirst
    >
      <div className="px-4 py-3">
        {plan.overview !== undefined && <p className="mb-2 text-soft">{plan.overview}</p>}
        <Markdown text={plan.text} />
      </div>
    </Card>
  );
}
