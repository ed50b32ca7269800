// What the Dojo does before its tests, but for the browser that it starts to empty a store that is empty here.
import { setupLLMock } from "./aimock-setup";

export default setupLLMock;
