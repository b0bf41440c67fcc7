/** The `workerData` of a prepared thread, which receives its start data later in a message (`prepareThread`). */
export const deferredStart = 'started later';
