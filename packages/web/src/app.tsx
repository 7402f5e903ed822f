/** The page. */
export function App() {
  return <main className="p-4">Caret</main>;
}
