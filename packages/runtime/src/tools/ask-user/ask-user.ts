import type { AgentEventOf } from "@caret/protocol";
import type { Tool } from "../tool.ts";
import type { ToolCallResult } from "../tool-registry.ts";

type Question = AgentEventOf<"question">;
type QuestionAnswer = AgentEventOf<"question-answer">;

export interface AskUserOptions {
  /** Resolves with the answer, or with the reason there is none. */
  readonly ask: (question: Question, signal: AbortSignal) => Promise<QuestionAnswer>;
  readonly newRequestId: () => string;
}

/** The tool by which an agent asks the user. It takes as long as the person does, so no time limit applies. */
export interface AskUser extends Omit<Tool, "run"> {
  call(input: unknown, call: { readonly callId: string; readonly signal: AbortSignal }): Promise<ToolCallResult>;
}

interface AskUserInput {
  readonly title?: string;
  readonly questions: readonly {
    readonly id: string;
    readonly prompt: string;
    readonly options: readonly { readonly id: string; readonly label: string }[];
    readonly allowMultiple?: boolean;
  }[];
}

const text = { type: "string", minLength: 1 };
const inputSchema = {
  type: "object",
  properties: {
    title: { ...text, description: "What the questions are about, in a few words." },
    questions: {
      type: "array",
      minItems: 1,
      maxItems: 10,
      items: {
        type: "object",
        properties: {
          id: text,
          prompt: { ...text, description: "The question itself." },
          options: {
            type: "array",
            minItems: 1,
            maxItems: 20,
            items: {
              type: "object",
              properties: { id: text, label: text },
              required: ["id", "label"],
              additionalProperties: false,
            },
          },
          allowMultiple: { type: "boolean", description: "May several options be chosen? No by default." },
        },
        required: ["id", "prompt", "options"],
        additionalProperties: false,
      },
    },
  },
  required: ["questions"],
  additionalProperties: false,
};

export function createAskUser({ ask, newRequestId }: AskUserOptions): AskUser {
  return {
    name: "ask_user",
    description:
      "Asks the user to choose between options, and waits for the answer. Use it when a decision is the user's and cannot be found in the workspace; not for permission to use a tool.",
    kind: "question",
    inputSchema,
    async call(input, { callId, signal }) {
      // Loaded on demand: larger than everything else a gateway loads for a turn.
      const { createInputValidators } = await import("../input-validator.ts");
      const complaints = createInputValidators()(inputSchema)(input);
      if (complaints.length > 0) return refuse(complaints);
      const asked = input as AskUserInput;
      const doubles = doubleIds(asked);
      if (doubles.length > 0) return refuse(doubles);
      const question = toQuestion(asked, callId, newRequestId());
      const answer = await ask(question, signal);
      return signal.aborted ? interrupted : toResult(question, answer);
    },
  };
}

/** A person's time does not count as the tool's. */
const durationMs = 0;
const interrupted: ToolCallResult = {
  status: "interrupted",
  output: "The agent no longer waited for the answer.",
  outcomeClass: "unknown",
  durationMs,
};

function refuse(complaints: readonly string[]): ToolCallResult {
  const output = `Invalid arguments for ask_user: ${complaints.join("; ")}`;
  return { status: "rejected", output, outcomeClass: "validation", durationMs };
}

/** Ids used twice: an answer refers to ids, so they must be unique. */
function doubleIds({ questions }: AskUserInput): readonly string[] {
  const lists = [questions, ...questions.map(({ options }) => options)].map((list) => list.map(({ id }) => id));
  const doubles = lists.flatMap((ids) => ids.filter((id, index) => ids.indexOf(id) !== index));
  return doubles.map((id) => `the id ${JSON.stringify(id)} is used twice`);
}

function toQuestion({ title, questions }: AskUserInput, callId: string, requestId: string): Question {
  return {
    type: "question",
    requestId,
    callId,
    ...(title === undefined ? {} : { title }),
    questions: questions.map(({ id, prompt, options, allowMultiple = false }) => ({
      id,
      prompt,
      options: options.map((option) => ({ id: option.id, label: option.label })),
      allowMultiple,
    })),
  };
}

function toResult({ questions }: Question, { outcome, answers = [], reason }: QuestionAnswer): ToolCallResult {
  if (outcome !== "answered") return toUnanswered(reason);
  const lines = questions.map(({ id, prompt, options }) => {
    const { optionIds = [], text } = answers.find(({ questionId }) => questionId === id) ?? {};
    const labels = options.filter((option) => optionIds.includes(option.id)).map(({ label }) => label);
    const said = text === undefined ? labels : [...labels, `in their own words: ${text}`];
    return `- ${prompt} ${said.join(", ") || "(no answer)"}`;
  });
  const output = `The user answered:\n${lines.join("\n")}`;
  return { status: "ok", output, outcomeClass: "success", durationMs };
}

/** A skipped question has no reason; an unanswered one does. */
function toUnanswered(reason: string | undefined): ToolCallResult {
  const next = "Go on as you think best, and say what you assumed.";
  if (reason === undefined)
    return { status: "ok", output: `The user skipped the question. ${next}`, outcomeClass: "success", durationMs };
  return { status: "error", output: `${reason}. ${next}`, outcomeClass: "timeout", durationMs };
}
