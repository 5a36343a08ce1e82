// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An ERC-20 written out, for tokens whose books are not OpenZeppelin's.
abstract contract BareToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed holder, address indexed spender, uint256 value);

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        emit Transfer(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal virtual;
}
