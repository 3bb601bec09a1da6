import tseslint from 'typescript-eslint';

/** Only what needs types, and the size rules; formatting and the fast rules are Biome's. */
export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', '**/*.generated.ts', '*.config.*', '.dependency-cruiser.cjs'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    languageOptions: { parser: tseslint.parser, parserOptions: { project: './tsconfig.json' } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
      'max-params': ['error', 4],
      complexity: ['error', 12],
    },
  },
  {
    // SQL statements and constants are long by nature and have no branches.
    files: ['src/store/postgres/sql/**/*.ts', 'src/store/postgres/migrations/**/*.ts'],
    rules: { 'max-lines': 'off' },
  },
);
