// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Approved {
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) public balanceOf;

    event Approval(address indexed owner, address indexed spender, uint256 value);

    function approve(address spender, uint256 value) external returns (bool) {
        _approve(msg.sender, spender, value);
        return true;
    }

    function _approve(address owner, address spender, uint256 value) internal {
        balanceOf[owner] = 5;
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }
}

/// Whoever sends it decides who approved whom.
contract Inventing is Approved {
    function drop(address[] calldata owners, address spender) external payable {
        require(msg.value == 1);
        for (uint256 i; i < owners.length; i++) _approve(owners[i], spender, type(uint256).max);
    }
}

/// Whoever sends it has a signature of the owner, as in EIP-2612.
contract Signing is Approved {
    mapping(address => uint256) public nonces;

    function permit(address owner, address spender, uint256 value, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 hash = keccak256(abi.encode(address(this), owner, spender, value, nonces[owner]++));
        require(owner != address(0) && ecrecover(hash, v, r, s) == owner);
        _approve(owner, spender, value);
    }
}
