// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Proxies that have their beacon in the code and in no slot, and others that look like them, for the tests of BeaconInCode.

contract OwnedBeacon {
  address public implementation;
  address public owner; // 1
  function upgradeTo(address to) external { require(msg.sender == owner); implementation = to; }
}
abstract contract Delegating {
  OwnedBeacon internal immutable beacon = OwnedBeacon(msg.sender);
  function run(address code) internal {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), code, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}
contract ByBeacon is Delegating { fallback() external payable { run(beacon.implementation()); } }
contract ByBeaconInAssembly is Delegating {
  fallback() external payable {
    address to = address(beacon);
    assembly {
      mstore(0, shl(224, 0x5c60da1b))
      if iszero(staticcall(gas(), to, 0, 4, 0, 32)) { revert(0, 0) }
      to := mload(0)
    }
    run(to);
  }
}

// Not by one beacon alone.
contract ByBeaconOfCaller is Delegating {
  OwnedBeacon internal constant other = OwnedBeacon(0xa0Ee7A142d267C1f36714E4a8F75612F20a79720);
  fallback() external payable { run((msg.sender == address(0xbeef) ? other : beacon).implementation()); }
}
contract ByBeaconOrArgument is Delegating {
  function exec(address code) external { run(code); }
  fallback() external payable { run(beacon.implementation()); }
}
contract ByBeaconOfVariable is Delegating {
  OwnedBeacon internal other; // 0
  function set(OwnedBeacon to) external { other = to; }
  fallback() external payable { run((address(other) == address(0) ? beacon : other).implementation()); }
}
interface IRegistry { function logicOf(address who) external view returns (address); }
contract ByRegistry is Delegating { fallback() external payable { run(IRegistry(address(beacon)).logicOf(msg.sender)); } }
