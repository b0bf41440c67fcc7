/** A state of a game as JSON text of this many bytes: a list of items with names and places, and filler. */
export function stateOfBytes(bytes: number): string {
  const items: object[] = [];
  const text = (filler: string) => JSON.stringify({ filler, items });
  for (let length = text('').length, id = 0; ; id++) {
    const item = { id, name: `item ${id}`, x: id * 0.5, y: id % 97, held: id % 2 === 0 };
    length += JSON.stringify(item).length + 1;
    if (length > bytes) break;
    items.push(item);
  }
  return text('.'.repeat(bytes - text('').length));
}
