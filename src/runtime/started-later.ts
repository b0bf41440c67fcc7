/** What a thread is given that is started later, by a message with what it is started with (`prepareThread`). */
export const startedLater = 'started later';
