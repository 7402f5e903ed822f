const inspectSymbol = Symbol.for("nodejs.util.inspect.custom");
const placeholder = "[secret]";

/**
 * A value that cannot be printed by accident: string conversion, JSON, template literals and Node's inspection all show a placeholder. Only
 * `reveal` returns it, which is easy to search for in a review.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return placeholder;
  }

  toJSON(): string {
    return placeholder;
  }

  [inspectSymbol](): string {
    return placeholder;
  }
}
