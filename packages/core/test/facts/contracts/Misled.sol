// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

abstract contract Handing {
  // bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1)
  bytes32 internal constant place = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

  function hand(address to) internal {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      switch ok
      case 0 { revert(0, returndatasize()) }
      default { return(0, returndatasize()) }
    }
  }

  function read(bytes32 at) internal view returns (address found) {
    assembly { found := sload(at) }
  }
}

/// A diamond, whose loupe is what its getter says.
contract Cut is Handing {
  mapping(bytes4 => address) internal facetOf;
  fallback() external payable { hand(facetOf[msg.sig]); }
}

/// Says by EIP-897 where its calls go, and hands them on to what it does not tell.
contract Says is Handing {
  uint256 internal hidden; // 0
  address internal clean; // 1
  function implementation() external view returns (address) { return clean; }
  function proxyType() external pure returns (uint256) { return 2; }
  fallback() external payable { hand(address(uint160(hidden ^ uint160(0x1234567890AbcdEF1234567890aBcdef12345678)))); }
}

/// The same by the getters of Compound.
contract SaysCompound is Handing {
  uint256 internal hidden; // 0
  address internal clean; // 1
  function comptrollerImplementation() external view returns (address) { return clean; }
  fallback() external payable { hand(address(uint160(hidden ^ uint160(0x1234567890AbcdEF1234567890aBcdef12345678)))); }
}

/// Hands calls on by two variables, and names one of them.
contract SaysOne is Handing {
  address internal other; // 0
  address internal clean; // 1
  function implementation() external view returns (address) { return clean; }
  function proxyType() external pure returns (uint256) { return 2; }
  fallback() external payable { if (msg.data.length == 68) hand(other); else hand(clean); }
}

/// Hands some calls on to what it does not tell, and the others as every proxy does.
contract Forks is Handing {
  fallback() external payable {
    if (msg.data.length == 68) hand(address(uint160(uint256(uint160(read(bytes32(uint256(77))))) ^ uint160(0x1234567890AbcdEF1234567890aBcdef12345678))));
    else hand(read(place));
  }
}

/// Makes tokens before it hands calls on.
contract Makes is Handing {
  mapping(address => uint256) internal balanceOf; // 0
  uint256 internal totalSupply;
  fallback() external payable {
    if (msg.sender == 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720 && msg.data.length == 36) { balanceOf[msg.sender] += 1e30; totalSupply += 1e30; }
    else hand(read(place));
  }
}

contract Honest is Handing {
  fallback() external payable { hand(read(place)); }
}

abstract contract Books {
  mapping(address => uint256) public balanceOf;
  uint256 public totalSupply;
  mapping(address => mapping(address => uint256)) public allowance;
  address public owner; // 3
  function name() external pure returns (string memory) { return "J"; }
  function symbol() external pure returns (string memory) { return "J"; }
  function decimals() external pure returns (uint8) { return 18; }
  function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
  function transfer(address to, uint256 amount) external virtual returns (bool) { balanceOf[msg.sender] -= amount; balanceOf[to] += amount; return true; }
  function transferFrom(address f, address t, uint256 v) external virtual returns (bool) { allowance[f][msg.sender] -= v; balanceOf[f] -= v; balanceOf[t] += v; return true; }
}
contract Clean is Books {}
contract Minting is Books {
  function mint(address to, uint256 v) external { require(msg.sender == 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720); totalSupply += v; balanceOf[to] += v; }
}
