/** Passes the folder of the compiled program to the tests, whose child processes inherit it. */
export const compiledVariable = 'GANTRY_TESTS_COMPILED';
