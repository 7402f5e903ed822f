import { createContext, use, useState } from "react";

/** What a reader opened and closed. The list forgets cards that scroll out of sight; this does not. */
export type CardMemory = Map<string, unknown>;

const Memory = createContext<CardMemory>(new Map());

export const CardMemoryProvider = Memory.Provider;

/** State of a card under a name that is unique in the transcript. */
export function useRemembered<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const memory = use(Memory);
  const [value, setValue] = useState(() => (memory.has(name) ? (memory.get(name) as Value) : initial));
  const remember = (next: Value) => {
    memory.set(name, next);
    setValue(next);
  };
  return [value, remember];
}
