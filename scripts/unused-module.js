// Stands in the bundle for modules that are loaded and never called.
export {};
