import { KeyRound } from "lucide-react";
import { useState } from "react";
import { useApi } from "../data/use-api.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { toErrorInfo } from "../parts/to-error-info.ts";
import { CodeBlock } from "../screen/code-block.tsx";
import type { Recipe } from "./recipe.ts";
import { tokenName } from "./token-name.ts";

export interface MadeToken {
  readonly name: string;
  readonly token: string;
}

interface RecipeViewProps {
  readonly recipe: Recipe;
  readonly made: MadeToken | undefined;
  readonly onToken: (made: MadeToken) => void;
}

export function RecipeView({ recipe, made, onToken }: RecipeViewProps) {
  return (
    <section aria-label={recipe.name} className="grid gap-3">
      <p className="text-soft">{recipe.about}</p>
      <TokenRow made={made} onToken={onToken} recipe={recipe} />
      {recipe.parts.map((part) => (
        <CodeBlock key={part.place} place={part.place} text={part.text} />
      ))}
    </section>
  );
}

/** A token of its own for each client can be taken back without the others noticing. */
function TokenRow({ recipe, made, onToken }: RecipeViewProps) {
  const api = useApi();
  const [error, setError] = useState<unknown>();
  const [isMaking, setMaking] = useState(false);
  const make = async (): Promise<void> => {
    setMaking(true);
    try {
      onToken(await api.createToken(tokenName(recipe.id, new Date())));
      setError(undefined);
    } catch (reason) {
      setError(reason);
    } finally {
      setMaking(false);
    }
  };
  if (error !== undefined) return <ErrorNote error={toErrorInfo(error)} onRetry={make} />;
  if (made === undefined)
    return (
      <div>
        <Button disabled={isMaking} icon={<KeyRound aria-hidden="true" size={16} />} onClick={make}>
          Make a token for {recipe.name}
        </Button>
      </div>
    );
  return (
    <div aria-live="polite" className="rounded-lg border border-line bg-raised py-1 pr-1 pl-3 sm:pl-4">
      <div className="flex min-h-8 items-center gap-3">
        <code className="min-w-0 flex-1 truncate font-mono text-[13px]">{made.token}</code>
        <CopyButton label="Copy the token" text={made.token} />
      </div>
      <p className="pb-1 text-[13px] text-soft">
        It is in the recipe below, and is shown only until you leave this page.{" "}
        <code className="font-mono [overflow-wrap:anywhere]">caret token revoke {made.name}</code> revokes it.
      </p>
    </div>
  );
}
