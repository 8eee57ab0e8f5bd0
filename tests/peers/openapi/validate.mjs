// usage: node validate.mjs FILE...
// Each file must be a valid OpenAPI document, by the schemas of the OpenAPI Initiative, and each
// reference in it must lead somewhere.
import { Validator } from '@seriousme/openapi-schema-validator'

for (const file of process.argv.slice(2)) {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(file)
  if (!valid) {
    console.error(file, JSON.stringify(errors, null, 1).slice(0, 4000))
    process.exit(1)
  }
  if (validator.version !== '3.1') throw new Error(`version ${validator.version}`)
  validator.resolveRefs()
  console.log('valid', file)
}
