/** Pi provides this module to its extensions; it is not installed here. */
declare module "@earendil-works/pi-ai/compat" {
  /** Pi's client of OpenAI's Responses. `fetch` among the options replaces the network. */
  export function openAIResponsesApi(): {
    streamSimple(model: object, context: object, options: object): AsyncIterable<object>;
  };
}
