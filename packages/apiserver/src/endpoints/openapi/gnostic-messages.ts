/*
 * Protobuf messages of OpenAPI documents, limited to the messages that documents of API servers contain. Each line describes one message:
 *   Name = <number> <jsonName>:<type>, …, <number> ^     a message with these fields; the field `^` contains every `x-` member
 *   Name = {<number> Type} [<number> ^]                  a map, in which each member is an entry with a name and a value
 *   Name = | <number> Type …                             a choice: one of these types, which the encoder selects
 * The types are string, bool, int, double, any (YAML text), and messages. `[T]` is a repeated field, and `*T` a list in a separate message.
 */

/** Protobuf messages for OpenAPI v2 documents. @see gnostic-models openapiv2/OpenAPIv2.proto */
export const openApiV2Messages = `
Document = 1 swagger:string, 2 info:Info, 8 paths:Paths, 9 definitions:Definitions, 10 parameters:ParameterDefinitions, 12 security:[SecurityRequirement], 13 securityDefinitions:SecurityDefinitions, 16 ^
Info = 1 title:string, 2 version:string, 3 description:string, 7 ^
Paths = {2 PathItem} 1 ^
PathItem = 2 get:Operation, 3 put:Operation, 4 post:Operation, 5 delete:Operation, 6 options:Operation, 7 head:Operation, 8 patch:Operation, 9 parameters:[ParametersItem], 10 ^
Operation = 1 tags:[string], 2 summary:string, 3 description:string, 5 operationId:string, 6 produces:[string], 7 consumes:[string], 8 parameters:[ParametersItem], 9 responses:Responses, 10 schemes:[string], 11 deprecated:bool, 13 ^
ParametersItem = | 1 Parameter, 2 JsonReference
JsonReference = 1 $ref:string, 2 description:string
Parameter = | 1 BodyParameter, 2 NonBodyParameter
BodyParameter = 1 description:string, 2 name:string, 3 in:string, 4 required:bool, 5 schema:Schema, 6 ^
NonBodyParameter = | 3 QueryParameter, 4 PathParameter
QueryParameter = 1 required:bool, 2 in:string, 3 description:string, 4 name:string, 6 type:string, 7 format:string, 20 uniqueItems:bool, 23 ^
PathParameter = 1 required:bool, 2 in:string, 3 description:string, 4 name:string, 5 type:string, 6 format:string, 19 uniqueItems:bool, 22 ^
ParameterDefinitions = {1 Parameter}
Responses = {1 ResponseValue} 2 ^
ResponseValue = | 1 Response, 2 JsonReference
Response = 1 description:string, 2 schema:SchemaItem, 5 ^
SchemaItem = | 1 Schema
Definitions = {1 Schema}
Properties = {1 Schema}
Schema = 1 $ref:string, 2 format:string, 3 title:string, 4 description:string, 5 default:any, 6 multipleOf:double, 7 maximum:double, 8 exclusiveMaximum:bool, 9 minimum:double, 10 exclusiveMinimum:bool, 11 maxLength:int, 12 minLength:int, 13 pattern:string, 14 maxItems:int, 15 minItems:int, 16 uniqueItems:bool, 17 maxProperties:int, 18 minProperties:int, 19 required:[string], 20 enum:[any], 21 additionalProperties:AdditionalPropertiesItem, 22 type:*string, 23 items:*Schema, 24 allOf:[Schema], 25 properties:Properties, 29 externalDocs:ExternalDocs, 30 example:any, 31 ^
AdditionalPropertiesItem = | 1 Schema, 2 bool
ExternalDocs = 1 description:string, 2 url:string, 3 ^
SecurityRequirement = {1 StringArray}
StringArray = | 1 [string]
SecurityDefinitions = {1 SecurityDefinitionsItem}
SecurityDefinitionsItem = | 2 ApiKeySecurity
ApiKeySecurity = 1 type:string, 2 name:string, 3 in:string, 4 description:string, 5 ^
`;

/** Protobuf messages for OpenAPI v3 documents. @see gnostic-models openapiv3/OpenAPIv3.proto */
export const openApiV3Messages = `
Document = 1 openapi:string, 2 info:Info, 4 paths:Paths, 5 components:Components, 9 ^
Info = 1 title:string, 2 description:string, 6 version:string, 7 ^
Paths = {1 PathItem} 2 ^
PathItem = 4 get:Operation, 5 put:Operation, 6 post:Operation, 7 delete:Operation, 8 options:Operation, 9 head:Operation, 10 patch:Operation, 13 parameters:[ParameterOrReference], 14 ^
Operation = 1 tags:[string], 2 summary:string, 3 description:string, 5 operationId:string, 6 parameters:[ParameterOrReference], 7 requestBody:RequestBodyOrReference, 8 responses:Responses, 10 deprecated:bool, 13 ^
ParameterOrReference = | 2 Reference, 1 Parameter
Reference = 1 $ref:string, 2 summary:string, 3 description:string
Parameter = 1 name:string, 2 in:string, 3 description:string, 4 required:bool, 10 schema:SchemaOrReference, 14 ^
RequestBodyOrReference = | 2 Reference, 1 RequestBody
RequestBody = 1 description:string, 2 content:MediaTypes, 3 required:bool, 4 ^
MediaTypes = {1 MediaType}
MediaType = 1 schema:SchemaOrReference, 5 ^
Responses = {2 ResponseOrReference} 3 ^
ResponseOrReference = | 2 Reference, 1 Response
Response = 1 description:string, 3 content:MediaTypes, 5 ^
Components = 1 schemas:SchemasOrReferences, 7 securitySchemes:SecuritySchemes, 10 ^
SchemasOrReferences = {1 SchemaOrReference}
Properties = {1 SchemaOrReference}
SchemaOrReference = | 2 Reference, 1 Schema
Schema = 1 nullable:bool, 3 readOnly:bool, 4 writeOnly:bool, 6 externalDocs:ExternalDocs, 7 example:any, 8 deprecated:bool, 9 title:string, 10 multipleOf:double, 11 maximum:double, 12 exclusiveMaximum:bool, 13 minimum:double, 14 exclusiveMinimum:bool, 15 maxLength:int, 16 minLength:int, 17 pattern:string, 18 maxItems:int, 19 minItems:int, 20 uniqueItems:bool, 21 maxProperties:int, 22 minProperties:int, 23 required:[string], 24 enum:[any], 25 type:string, 26 allOf:[SchemaOrReference], 27 oneOf:[SchemaOrReference], 28 anyOf:[SchemaOrReference], 29 not:Schema, 30 items:*SchemaOrReference, 31 properties:Properties, 32 additionalProperties:AdditionalPropertiesItem, 33 default:DefaultType, 34 description:string, 35 format:string, 36 ^
AdditionalPropertiesItem = | 1 SchemaOrReference, 2 bool
DefaultType = | 1 double, 2 bool, 3 string
ExternalDocs = 1 description:string, 2 url:string, 3 ^
SecuritySchemes = {1 SecuritySchemeOrReference}
SecuritySchemeOrReference = | 2 Reference, 1 SecurityScheme
SecurityScheme = 1 type:string, 2 description:string, 3 name:string, 4 in:string, 9 ^
`;
