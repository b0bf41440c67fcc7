/** Replaces an event for players it is hidden from: it advances the cursor and carries no content. */
export const skippedEvent = { name: 'realtime-events skipped', record: '{}' } as const;
