/** Counts the turns of the event loop; `current` is the number of this one. */
export function countLoopTurns(): { current(): number } & Disposable {
  let turn = 0;
  const count = () => {
    turn++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return { current: () => turn, [Symbol.dispose]: () => clearImmediate(next) };
}
