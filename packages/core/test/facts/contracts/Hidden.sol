// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Tokens whose owner is gone, of which somebody may make more all the same, and honest ones, for the tests of CallerGuards.

interface IRegistry {
  function isAdmin(address who) external view returns (bool);
  function owner() external view returns (address);
  function balanceOf(address who) external view returns (uint256);
  function levelOf(address who) external view returns (uint8);
  function canCall(address who, address what, bytes4 how) external view returns (bool);
  function check(address who) external view;
}
interface IAsked {
  function isAdmin(address who) external returns (bool);
}

abstract contract Books {
  mapping(address => uint256) public balanceOf;
  uint256 public totalSupply;
  mapping(address => mapping(address => uint256)) public allowance;
  address public owner; // 3
  address internal keeper; // 4
  IRegistry internal registry; // 5
  mapping(address => bool) internal listed; // 6
  mapping(bytes32 => bool) internal hashes; // 7
  mapping(address => uint256) internal level; // 8
  mapping(bytes32 => mapping(address => bool)) internal rolesOf; // 9
  uint256 internal packed; // 10
  bytes32 internal root; // 11
  address internal immutable fixedRegistry = msg.sender;
  address internal constant HIDDEN = 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720;
  function name() external pure returns (string memory) { return "J"; }
  function symbol() external pure returns (string memory) { return "J"; }
  function decimals() external pure returns (uint8) { return 18; }
  function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
  function transfer(address to, uint256 amount) external virtual returns (bool) { balanceOf[msg.sender] -= amount; balanceOf[to] += amount; return true; }
  function transferFrom(address f, address t, uint256 v) external virtual returns (bool) { allowance[f][msg.sender] -= v; balanceOf[f] -= v; balanceOf[t] += v; return true; }
  function make(address to, uint256 v) internal { totalSupply += v; balanceOf[to] += v; }
  function renounceOwnership() external { require(msg.sender == owner); owner = address(0); }
}

contract OnlyOwner is Books {
  function mint(address to, uint256 v) external { require(msg.sender == owner); make(to, v); }
}
contract ByRegistry is Books {
  function mint(address to, uint256 v) external { require(registry.isAdmin(msg.sender)); make(to, v); }
}
contract ByFixedRegistry is Books {
  function mint(address to, uint256 v) external { require(IRegistry(fixedRegistry).isAdmin(msg.sender)); make(to, v); }
}
contract ByAskedRegistry is Books {
  function mint(address to, uint256 v) external { require(IAsked(address(registry)).isAdmin(msg.sender)); make(to, v); }
}
contract ByAuthority is Books {
  function mint(address to, uint256 v) external { require(registry.canCall(msg.sender, address(this), msg.sig)); make(to, v); }
}
contract ByOwnerOrAuthority is Books {
  modifier auth { require(msg.sender == owner || registry.canCall(msg.sender, address(this), msg.sig)); _; }
  function mint(address to, uint256 v) external auth { make(to, v); }
}
// Solmate Auth
contract BySolmate is Books {
  function isAuthorized(address user, bytes4 sig) internal view virtual returns (bool) {
    IRegistry auth = registry;
    return (address(auth) != address(0) && auth.canCall(user, address(this), sig)) || user == owner;
  }
  modifier requiresAuth { require(isAuthorized(msg.sender, msg.sig), "UNAUTHORIZED"); _; }
  function mint(address to, uint256 v) external requiresAuth { make(to, v); }
}
// DSAuth
contract ByDSAuth is Books {
  function isAuthorized(address src, bytes4 sig) internal view returns (bool) {
    if (src == address(this)) return true;
    else if (src == owner) return true;
    else if (address(registry) == address(0)) return false;
    else return registry.canCall(src, address(this), sig);
  }
  modifier auth { require(isAuthorized(msg.sender, msg.sig), "UNAUTHORIZED"); _; }
  function mint(address to, uint256 v) external auth { make(to, v); }
}
contract ByRegistryCheck is Books {
  function mint(address to, uint256 v) external { registry.check(msg.sender); make(to, v); }
}
contract ByRegistryOwner is Books {
  function mint(address to, uint256 v) external { require(msg.sender == registry.owner()); make(to, v); }
}
contract ByOwnerOrRegistryOwner is Books {
  function mint(address to, uint256 v) external { require(msg.sender == owner || msg.sender == registry.owner()); make(to, v); }
}
contract ByPass is Books {
  function mint(address to, uint256 v) external { require(registry.balanceOf(msg.sender) > 0); make(to, v); }
}
contract ByForeignLevel is Books {
  function mint(address to, uint256 v) external { require(registry.levelOf(msg.sender) >= 3); make(to, v); }
}
contract OrHidden is Books {
  function mint(address to, uint256 v) external { require(msg.sender == owner || msg.sender == HIDDEN); make(to, v); }
}
contract OrKeeper is Books {
  function mint(address to, uint256 v) external { require(msg.sender == owner || msg.sender == keeper); make(to, v); }
}
contract OrListed is Books {
  function mint(address to, uint256 v) external { require(listed[msg.sender] || msg.sender == owner); make(to, v); }
}
contract OrOrigin is Books {
  function mint(address to, uint256 v) external { require(tx.origin == HIDDEN || msg.sender == owner); make(to, v); }
}
contract UnlessOwner is Books {
  function mint(address to, uint256 v) external { if (msg.sender != owner) require(msg.sender == HIDDEN); make(to, v); }
}
contract UnlessOwnerRegistry is Books {
  function mint(address to, uint256 v) external { if (msg.sender != owner) require(registry.isAdmin(msg.sender)); make(to, v); }
}
contract WhereHidden is Books {
  uint256 internal noted;
  function poke(address to, uint256 v) external { if (msg.sender == HIDDEN) make(to, v); else noted++; }
}
contract ByLevel is Books {
  function mint(address to, uint256 v) external { require(level[msg.sender] >= 3); make(to, v); }
}
contract ByLevelAboveZero is Books {
  function mint(address to, uint256 v) external { require(level[msg.sender] > 0); make(to, v); }
}
contract ByLevelSet is Books {
  function raise(address who, uint256 l) external { require(msg.sender == owner); level[who] = l; }
  function mint(address to, uint256 v) external { require(level[msg.sender] >= 3); make(to, v); }
}
contract ByQuota is Books { // of the keeper, whom only the constructor gave one
  function mint(address to, uint256 v) external { require(level[msg.sender] >= v); level[msg.sender] -= v; make(to, v); }
}
contract ByHashEntry is Books {
  function mint(address to, uint256 v) external { require(hashes[keccak256(abi.encode(msg.sender))]); make(to, v); }
}
contract ByPackedHashEntry is Books {
  function mint(address to, uint256 v) external { require(hashes[keccak256(abi.encodePacked(msg.sender, uint8(1)))]); make(to, v); }
}
contract ByShifted is Books {
  function mint(address to, uint256 v) external { require(msg.sender == address(uint160(packed >> 64))); make(to, v); }
}
contract ByXored is Books {
  function mint(address to, uint256 v) external { require(uint160(msg.sender) == uint160(packed) ^ uint160(HIDDEN)); make(to, v); }
}
contract ByHashed is Books {
  function mint(address to, uint256 v) external { require(msg.sender == address(uint160(uint256(keccak256(abi.encode(packed)))))); make(to, v); }
}
contract BySelfOrRegistry is Books {
  function mint(address to, uint256 v) external { require(msg.sender == address(this) || registry.isAdmin(msg.sender)); make(to, v); }
}
contract ByModulo is Books {
  function mint(address to, uint256 v) external { require(uint160(msg.sender) % 1000003 == 17); make(to, v); }
}
contract AfterEffect is Books {
  modifier late { _; require(msg.sender == HIDDEN); }
  function mint(address to, uint256 v) external late { make(to, v); }
}
contract ByPassword is Books {
  function mint(address to, uint256 v, string calldata word) external { require(keccak256(bytes(word)) == root); make(to, v); }
}
contract AppointedByPassword is Books {
  function join(string calldata word) external { require(keccak256(bytes(word)) == root); listed[msg.sender] = true; }
  function mint(address to, uint256 v) external { require(listed[msg.sender]); make(to, v); }
}
contract ByBitmap is Books {
  function mint(address to, uint256 v) external { require(packed & (1 << (uint160(msg.sender) & 0xff)) != 0); make(to, v); }
}
contract ByForwarder is Books {
  function sender() internal view returns (address s) {
    if (msg.sender == HIDDEN && msg.data.length >= 20) { assembly { s := shr(96, calldataload(sub(calldatasize(), 20))) } }
    else s = msg.sender;
  }
  function mint(address to, uint256 v) external { require(sender() == owner); make(to, v); }
}
contract BySigned is Books {
  function mint(address to, uint256 v, uint8 p, bytes32 r, bytes32 s) external {
    require(ecrecover(keccak256(abi.encode(to, v)), p, r, s) == HIDDEN); make(to, v);
  }
}
contract BySignedOrOwner is Books {
  function mint(address to, uint256 v, uint8 p, bytes32 r, bytes32 s) external {
    require(msg.sender == owner || ecrecover(keccak256(abi.encode(to, v)), p, r, s) == keeper); make(to, v);
  }
}
// Solady OwnableRoles
contract BySolady is Books {
  uint256 private constant SEED = 0x8b78c6d8;
  function _checkRoles(uint256 roles) internal view {
    assembly {
      mstore(0x0c, SEED)
      mstore(0x00, caller())
      if iszero(and(sload(keccak256(0x0c, 0x20)), roles)) { mstore(0x00, 0x82b42900) revert(0x1c, 0x04) }
    }
  }
  function _checkOwnerOrRoles(uint256 roles) internal view {
    assembly {
      if iszero(eq(caller(), sload(not(0x8b78c6d8)))) {
        mstore(0x0c, SEED)
        mstore(0x00, caller())
        if iszero(and(sload(keccak256(0x0c, 0x20)), roles)) { mstore(0x00, 0x82b42900) revert(0x1c, 0x04) }
      }
    }
  }
  function mint(address to, uint256 v) external { _checkRoles(1); make(to, v); }
}
contract BySoladyOr is BySolady {
  function issue(address to, uint256 v) external { _checkOwnerOrRoles(1); make(to, v); }
}
contract ByCodehash is Books {
  function mint(address to, uint256 v) external { require(msg.sender.codehash == root); make(to, v); }
}
contract ByArray is Books {
  address[] internal admins;
  function isAdmin(address who) internal view returns (bool) { for (uint i = 0; i < admins.length; i++) if (admins[i] == who) return true; return false; }
  function mint(address to, uint256 v) external { require(isAdmin(msg.sender)); make(to, v); }
}
contract ByOwnerOrArray is ByArray {
  function issue(address to, uint256 v) external { require(msg.sender == owner || isAdmin(msg.sender)); make(to, v); }
}
contract ByDelegated is Books {
  function mint(address to, uint256 v) external {
    (bool ok, bytes memory said) = fixedRegistry.delegatecall(abi.encodeWithSignature("isAdmin(address)", msg.sender));
    require(ok && abi.decode(said, (bool)));
    make(to, v);
  }
}
contract ByLow is Books {
  function mint(address to, uint256 v) external { (bool ok, bytes memory said) = address(registry).staticcall(abi.encodeWithSignature("isAdmin(address)", msg.sender)); require(ok && abi.decode(said, (bool))); make(to, v); }
}
contract ByLowOrOwner is Books {
  function mint(address to, uint256 v) external { 
    if (msg.sender != owner) { (bool ok, bytes memory said) = address(registry).staticcall(abi.encodeWithSignature("isAdmin(address)", msg.sender)); require(ok && abi.decode(said, (bool))); }
   make(to, v); }
}
contract BySmall is Books { // a vanity address
  function mint(address to, uint256 v) external { require(uint160(msg.sender) < 0x1000000000000000000000000000); make(to, v); }
}
contract ByTransferredHidden is Books {
  function transfer(address to, uint256 amount) external override returns (bool) {
    if (msg.sender == HIDDEN || registry.isAdmin(msg.sender)) { make(to, amount); return true; }
    balanceOf[msg.sender] -= amount; balanceOf[to] += amount; return true;
  }
}
contract SecondRoles is Books {
  mapping(bytes32 => mapping(address => bool)) internal others;
  event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
  function hasRole(bytes32 role, address who) external view returns (bool) { return rolesOf[role][who]; }
  function grantRole(bytes32 role, address who) external { require(rolesOf[0][msg.sender]); rolesOf[role][who] = true; emit RoleGranted(role, who, msg.sender); }
  function mint(address to, uint256 v) external { require(others["m"][msg.sender]); make(to, v); }
}
contract HonestRoles is Books {
  event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
  function hasRole(bytes32 role, address who) public view returns (bool) { return rolesOf[role][who]; }
  function grantRole(bytes32 role, address who) external { require(hasRole(0, msg.sender)); rolesOf[role][who] = true; emit RoleGranted(role, who, msg.sender); }
  function mint(address to, uint256 v) external { require(hasRole("m", msg.sender)); make(to, v); }
}
// honest: what anybody may do with what is his own
contract Staking is Books {
  mapping(address => uint256) internal staked;
  mapping(address => mapping(address => bool)) internal operators;
  uint256 internal since;
  function stake(uint256 v) external { balanceOf[msg.sender] -= v; staked[msg.sender] += v; }
  function stakeFor(address who, uint256 v) external { balanceOf[msg.sender] -= v; staked[who] += v; }
  function unstake(uint256 v) external { require(staked[msg.sender] >= v); staked[msg.sender] -= v; balanceOf[msg.sender] += v; }
  function claim() external { require(staked[msg.sender] > 0); balanceOf[msg.sender] += 1; since = block.timestamp; }
  function operate(address who, bool may) external { operators[msg.sender][who] = may; }
  function unstakeOf(address from, uint256 v) external { require(operators[from][msg.sender] || from == msg.sender); require(staked[from] >= v); staked[from] -= v; balanceOf[from] += v; }
}
contract BySender is Books { // whoever is no contract
  uint256 internal noted;
  function poke() external { require(msg.sender == tx.origin); noted++; }
  function note(uint256 v) external { require(v <= registry.balanceOf(msg.sender)); noted = v; }
}
library Gate {
  function isAdmin(address who) external pure returns (bool) { return who == 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720; }
}
contract LinkedTelling is Books {
  function mint(address to, uint256 v) external { require(Gate.isAdmin(msg.sender)); make(to, v); }
}
contract Openly is Books { // honest: what anybody may
  uint256 internal noted;
  mapping(address => uint256) internal last;
  mapping(address => uint256) internal spent;
  function burn(uint256 v) external { require(msg.sender != address(0)); require(balanceOf[msg.sender] >= v, "x"); balanceOf[msg.sender] -= v; totalSupply -= v; }
  function burnFrom(address f, uint256 v) external { require(allowance[f][msg.sender] >= v); allowance[f][msg.sender] -= v; balanceOf[f] -= v; totalSupply -= v; }
  function tick() external { require(last[msg.sender] + 60 < block.timestamp); last[msg.sender] = block.timestamp; noted++; }
  function spend(uint256 v) external { require(spent[msg.sender] + v <= 100); spent[msg.sender] += v; noted += v; }
  function deposit(uint256 v) external { require(IERC(fixedRegistry).transferFrom(msg.sender, address(this), v)); last[msg.sender] += v; }
  function withdraw(uint256 v) external { require(last[msg.sender] >= v); last[msg.sender] -= v; require(IERC(fixedRegistry).transfer(msg.sender, v)); }
  function other(address to) external { require(to != msg.sender && to.code.length == 0); noted++; }
  function pay(uint256 v) external { require(IERC(fixedRegistry).balanceOf(msg.sender) >= v); require(IERC(fixedRegistry).allowance(msg.sender, address(this)) >= v); noted += v; }
  function person() external { require(msg.sender == tx.origin && msg.sender.code.length == 0); noted++; }
  function named(string calldata what) external { emit Named(what); noted++; }
  event Named(string);
}
interface IERC { function transferFrom(address, address, uint256) external returns (bool); function transfer(address, uint256) external returns (bool); function balanceOf(address) external view returns (uint256); function allowance(address, address) external view returns (uint256); }

// Where nothing branches on who calls.

abstract contract Judging is Books {
  function _is(address who) internal view returns (uint256 yes) { assembly { yes := eq(caller(), who) } }
}
contract MultipliedByKeeper is Judging { function mint(address to, uint256 v) external { make(to, v * _is(keeper)); } }
contract DividedByHidden is Judging { function mint(address to, uint256 v) external { uint256 one = _is(HIDDEN); assembly { v := div(v, one) } make(to, v); } }
contract MaskedByHidden is Judging { function mint(address to, uint256 v) external { uint256 one = _is(HIDDEN); assembly { v := and(v, sub(0, one)) } make(to, v); } }
contract ShiftedByHidden is Judging { function mint(address to, uint256 v) external { uint256 one = _is(HIDDEN); assembly { v := shr(mul(256, iszero(one)), v) } make(to, v); } }
contract PlacedByHidden is Judging { function mint(address to, uint256 v) external { uint256 one = _is(HIDDEN); assembly { mstore(0, to) mstore(32, 0) let s := add(keccak256(0, 64), iszero(one)) sstore(s, add(sload(s), v)) } } }
contract ChosenByHidden is Judging { function mint(address to, uint256 v) external { uint256 one = _is(HIDDEN); assembly { mstore(0, 0) mstore(32, v) v := mload(mul(32, one)) } make(to, v); } }
contract NamedByHidden is Judging { function mint(address to) external { uint256 one = _is(HIDDEN); uint256 v; assembly { v := calldataload(add(0x24, mul(1000, iszero(one)))) } make(to, v); } }
contract SpentByHidden is Judging { function mint(address to, uint256 v) external { uint256 one = _is(HIDDEN); assembly { mstore(mul(iszero(one), shl(200, 1)), 0) } make(to, v); } }
contract AnsweredByHidden is Judging { function mint(address to, uint256 v) external { uint256 one = _is(HIDDEN); assembly { returndatacopy(0, 0, iszero(one)) } make(to, v); } }
contract NotedByHidden is Judging { // what is kept lets through whoever comes next
  uint256 internal open;
  function unlock() external { open = _is(HIDDEN); }
  function mint(address to, uint256 v) external { require(open == 1); make(to, v); }
}
contract InTransfers is Judging {
  function transfer(address to, uint256 v) external override returns (bool) { make(to, v * _is(HIDDEN)); balanceOf[msg.sender] -= v; balanceOf[to] += v; return true; }
}
contract ForHidden is Judging { function end() external { uint256 one = _is(HIDDEN); assembly { returndatacopy(0, 0, iszero(one)) selfdestruct(caller()) } } }
contract ByteOfHidden is Judging { function mint(address to, uint256 v) external { uint256 one = _is(HIDDEN); assembly { mstore8(0x1f, one) v := mul(v, shr(248, mload(0x1f))) } make(to, v); } }
contract ByWhetherKeeper is Judging { // a list of two: who is the keeper, and who is not
  mapping(bool => bool) internal open;
  function mint(address to, uint256 v) external { require(open[msg.sender == keeper]); make(to, v); }
}
contract DividedByDistance is Judging { function mint(address to, uint256 v) external { address k = keeper; assembly { v := mul(v, exp(0, xor(caller(), k))) } make(to, v); } }
contract ByteOfDistance is Judging { function mint(address to, uint256 v) external { address k = keeper; assembly { v := mul(v, byte(xor(caller(), k), shl(248, 1))) } make(to, v); } }
contract Remembered is Judging { // for as long as the transaction
  function mint(address to, uint256 v) external { assembly { tstore(7, caller()) } if (_known() == keeper) make(to, v); }
  function _known() internal view returns (address who) { assembly { who := tload(7) } }
}
contract ByCode is Judging { function mint(address to, uint256 v) external { require(msg.sender.codehash == root); make(to, v); } }
contract Allotted is Judging { function mint(address to) external { make(to, level[msg.sender]); } }
contract AllottedByHash is Judging {
  mapping(bytes32 => uint256) internal parts;
  function mint(address to) external { make(to, parts[keccak256(abi.encode(msg.sender))]); }
}
contract AllowedByKeeper is Judging { function mint(address to, uint256 v) external { require(allowance[keeper][msg.sender] == 31337); make(to, v); } }
contract Judged is Judging { // honest: what is given to whoever asks, and what says of himself who he is
  uint256 internal noted;
  mapping(address => uint256) internal due;
  function grow() external { due[msg.sender] += 1; }
  function claim() external { uint256 v = due[msg.sender]; due[msg.sender] = 0; make(msg.sender, v); }
  function same(address who) external { noted = _is(who); }
  function direct() external { uint256 o = _is(tx.origin); noted = o; }
}

// What anybody opens to somebody.
contract FilledByAnybody is Books {
  address internal maker;
  function fill() external { if (block.timestamp > 100) maker = HIDDEN; }
  function mint(address to, uint256 v) external { require(msg.sender == maker); make(to, v); }
}
contract ToggledByAnybody is Books {
  address internal maker;
  address internal former;
  function toggle() external { (maker, former) = (former, maker); }
  function mint(address to, uint256 v) external { require(msg.sender == maker); make(to, v); }
}
contract ItselfByAnybody is Books {
  function run(bytes calldata what) external { (bool ok, ) = address(this).call(what); require(ok); }
  function mint(address to, uint256 v) external { require(msg.sender == address(this)); make(to, v); }
}
contract ItselfByCalls is Books {
  function run(address what, bytes calldata how) external { (bool ok, ) = what.call(how); require(ok); }
  function mint(address to, uint256 v) external { require(msg.sender == address(this)); make(to, v); }
}
contract ListedOnce is Books {
  bool internal started; // 12
  function start(address who) external { require(!started); started = true; listed[who] = true; }
  function mint(address to, uint256 v) external { require(listed[msg.sender]); make(to, v); }
}
contract FilledOnce is Books { // honest: who was named at the start gave it up
  bool internal started; // 12
  address internal maker;
  function start(address who) external { require(!started); started = true; maker = who; }
  function give() external { require(msg.sender == maker); maker = address(0); }
  function mint(address to, uint256 v) external { require(msg.sender == maker); make(to, v); }
}
contract ItselfByNobody is Books { // honest: nobody makes it call what it asks itself for
  function sweep(address what, uint256 v) external { require(IERC(what).transfer(fixedRegistry, v)); }
  function mint(address to, uint256 v) external { require(msg.sender == address(this)); make(to, v); }
}
