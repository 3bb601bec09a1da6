import { describe, expect, it } from 'vitest';
import { createSecrets, listSecretValues, secretVariable } from '../../src/app/secrets.ts';

describe('createSecrets', () => {
  it.each([
    ['pspToken', 'PAWL_SECRET_PSP_TOKEN'],
    ['token', 'PAWL_SECRET_TOKEN'],
    ['apiURL', 'PAWL_SECRET_API_URL'],
    ['APIKey', 'PAWL_SECRET_API_KEY'],
    ['s3Key2', 'PAWL_SECRET_S3_KEY2'],
    ['psp_token', 'PAWL_SECRET_PSP_TOKEN'],
  ])('reads %s from %s', (name, variable) => {
    expect(secretVariable(name)).toBe(variable);
    expect(createSecrets({ [variable]: 'v' }).read(name)).toBe('v');
  });

  it('looks at each read, so that a rotated secret counts from the next sending on', () => {
    const env: Record<string, string | undefined> = { PAWL_SECRET_PSP_TOKEN: 'old' };
    const secrets = createSecrets(env);
    expect(secrets.read('pspToken')).toBe('old');
    env['PAWL_SECRET_PSP_TOKEN'] = 'new';
    expect(secrets.read('pspToken')).toBe('new');
  });

  it('answers null for one that is missing or empty', () => {
    const secrets = createSecrets({ PAWL_SECRET_EMPTY: '' });
    expect(secrets.read('empty')).toBeNull();
    expect(secrets.read('other')).toBeNull();
  });
});

describe('listSecretValues', () => {
  it('lists the values of all secrets and of nothing else', () => {
    const env = { PAWL_SECRET_A: 'one', PAWL_SECRET_B: '', PAWL_SECRETS: 'no', PATH: '/bin', PAWL_SECRET_C: undefined };
    expect(listSecretValues(env)).toEqual(['one']);
  });
});
