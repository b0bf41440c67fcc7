/*
 * The words of guests' default names. A name follows from a word's place here: a changed, moved or removed word renames
 * every guest that has it. They are plain and kind, and no pair of them reads as anything else: nothing about bodies, skin
 * or faith, no animal that people are insulted with.
 */

/** 256 adjectives, in alphabetical order except for colors, which stand at the place of their hue: 0 is red, and 256 would be red again. */
export const adjectives = `
  active adaptable agile alert alpine amazing scarlet arctic artful artistic astute coral athletic
  avid awake aware balanced copper beaming blissful bold bronze brave breezy apricot bright brilliant
  brisk bubbly buoyant amber busy calm candid capable golden careful caring sunny central cheerful
  lemon cheery chipper chirpy clear clever coastal comfy confident constant cool cosmic lime creative
  crisp curious dapper daring dashing dazzling diligent dynamic eager mossy earnest electric elegant
  enchanted epic fabulous faithful fantastic fast fearless leafy festive fleet fluffy flying focused
  friendly frosty fuzzy gallant generous genial gentle genuine gifted glad gleaming glorious glowing
  graceful gracious grand grateful emerald great happy hardy healthy hearty helpful heroic honest
  minty hopeful humble ideal inspired jade inventive jaunty jazzy jolly jovial joyful joyous jubilant
  keen kind kindly turquoise legendary lively logical loyal lucky luminous lunar magical majestic
  aquatic mellow merry mighty mindful misty modern modest musical natural neat nifty azure nimble
  noble notable observant oceanic orderly cobalt original patient peaceful perfect sapphire playful
  pleasant poetic poised polar polite popular positive powerful prompt prudent quick quiet radiant
  rapid relaxed reliable resolute robust indigo royal rugged rustic scenic serene sharp shining shiny
  silent sincere skillful sleek smart smiling violet snappy snowy snug solar sparkling spirited
  splendid sporty starry lilac stately steadfast steady stellar sterling strong stylish sunlit purple
  super superb swift talented thankful thorough thrifty tidy timely magenta tireless tranquil tropical
  true trusty truthful tuneful unique upbeat useful valiant versatile vibrant vigilant vital rosy
  vivid warm watchful welcome whimsical wild winning wise crimson witty wonderful worthy youthful ruby
  zany zesty zippy`
  .trim()
  .split(/\s+/);

/** 256 animals. */
export const animals = `
  aardvark akita albatross alligator alpaca anchovy angelfish anteater antelope armadillo avocet
  axolotl badger barracuda bat beagle bear bee beetle beluga bison bluebird bobcat bowerbird budgie
  buffalo bullfinch bumblebee bunting butterfly canary capybara caracal cardinal caribou cat chaffinch
  chameleon chamois cheetah chickadee chipmunk cicada civet coati collie condor corgi cormorant crane
  cricket crocodile curlew dalmatian damselfly deer dolphin dormouse dove dragonfly duck dugong dunlin
  eagle echidna egret eider eland elephant elk emu ermine falcon ferret finch firefly flamingo
  flounder fox gazelle gecko giraffe goldfinch goldfish goose gopher grebe greyhound grouper grouse
  guppy halibut hamster hare harrier hawk hedgehog heron herring hippo honeybee hoopoe hornbill horse
  hound ibex ibis iguana impala jackdaw jaguar jay jellyfish jerboa kangaroo kestrel kinglet koala koi
  kudu labrador lacewing ladybug lapwing lark lemming leopard linnet lion lionfish llama lobster
  lorikeet lynx lyrebird macaw mackerel magpie malamute mallard mammoth manatee manta mantis marlin
  marmot marten mastiff mayfly meerkat minnow mongoose moose moth mouse mustang narwhal nautilus newt
  numbat nuthatch ocelot octopus okapi orca oriole oryx osprey ostrich otter owl oyster panda pangolin
  panther parakeet parrot partridge peafowl pelican penguin perch pheasant pika pintail pipit platypus
  plover pony porcupine porpoise possum ptarmigan puffin puma quail quetzal quokka quoll rabbit raven
  reindeer rhino robin rooster sailfish salmon sandpiper sardine scallop seagull seahorse seal serval
  sheepdog skylark spaniel sparrow springbok squid squirrel starfish starling stingray stoat stork
  sturgeon sunbird sunfish swan swordfish tanager tapir terrapin terrier tiger tortoise toucan tuna
  turtle vole wagtail wallaby walrus warbler waxwing whale whippet wildcat wolf wolfhound wolverine
  wombat wren yak zebra`
  .trim()
  .split(/\s+/);
