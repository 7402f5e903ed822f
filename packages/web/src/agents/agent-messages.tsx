import type { MessageView } from "@caret/protocol";
import { Bot } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { Duration } from "../parts/duration.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { TextInput } from "../parts/field.tsx";
import { useLoaded } from "../screen/loaded-view.tsx";

interface AgentMessagesProps {
  /** The agent's. */
  readonly name: string;
  /** Another moment means that other messages wait. */
  readonly since: number;
}

/** What an agent said to a person: each may be answered, or put aside. */
export function AgentMessages({ name, since }: AgentMessagesProps) {
  const api = useApi();
  const agent = useLoaded(`messages of ${name}`, (signal) => api.getAgent(name, { signal }), String(since));
  const { value, error, reload } = agent;
  return (
    <>
      {error !== undefined && (
        <li>
          <ErrorNote error={toErrorInfo(error)} onRetry={reload} />
        </li>
      )}
      {value?.toHuman.map((message) => (
        <AgentMessage key={message.id} message={message} onDone={reload} sessionId={value.sessionId} />
      ))}
    </>
  );
}

interface AgentMessageProps {
  readonly message: MessageView;
  readonly sessionId: string;
  readonly onDone: () => void;
}

function AgentMessage({ message, sessionId, onDone }: AgentMessageProps) {
  const { id, from, text, at } = message;
  const api = useApi();
  const [answer, setAnswer] = useState("");
  const [error, setError] = useState<unknown>();
  const run = (work: Promise<unknown>): void => void work.then(onDone, setError);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run(api.sendMessage(from, { text: answer, replyTo: id }));
  };
  return (
    <li className="rounded-lg border border-warn/50 bg-raised px-4 py-2.5">
      <p className="flex items-center gap-2 font-medium text-[13px] text-warn">
        <Bot aria-hidden="true" size={14} />
        <span>
          <Link className="hover:underline" href={`/s/${sessionId}`}>
            {from}
          </Link>{" "}
          asks you · <Duration since={at} />
        </span>
      </p>
      <p className="my-1.5 whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
      <form className="flex flex-wrap gap-2" onSubmit={submit}>
        <div className="min-w-48 flex-1">
          <TextInput
            aria-label={`Answer to ${from}`}
            onChange={(event) => setAnswer(event.target.value)}
            placeholder="Your answer"
            value={answer}
          />
        </div>
        <Button disabled={answer.trim() === ""} tone="primary" type="submit">
          Answer
        </Button>
        <Button onClick={() => run(api.putMessageAside(id))}>Put aside</Button>
      </form>
      {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
    </li>
  );
}
