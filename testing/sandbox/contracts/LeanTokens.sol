// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SeededBooks} from "./SeededBooks.sol";

/// A lean token in the manner of Solmate: public maps, unchecked sums, a permit of its own.
contract LeanToken {
    string public name;
    string public symbol;
    uint8 public immutable decimals = 18;
    uint256 public totalSupply;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    mapping(address holder => uint256) public nonces;
    uint256 private immutable _chain = block.chainid;
    bytes32 private immutable _separator;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        name = name_;
        symbol = symbol_;
        _separator = _domain();
        totalSupply += supply;
        unchecked {
            balanceOf[msg.sender] += supply;
        }
        emit Transfer(address(0), msg.sender, supply);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        unchecked {
            balanceOf[to] += amount;
        }
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        balanceOf[from] -= amount;
        unchecked {
            balanceOf[to] += amount;
        }
        emit Transfer(from, to, amount);
        return true;
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(deadline >= block.timestamp, "PERMIT_DEADLINE_EXPIRED");
        unchecked {
            bytes32 typeHash =
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
            bytes32 hash = keccak256(abi.encode(typeHash, owner, spender, value, nonces[owner]++, deadline));
            address recovered = ecrecover(keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), hash)), v, r, s);
            require(recovered != address(0) && recovered == owner, "INVALID_SIGNER");
            allowance[recovered][spender] = value;
        }
        emit Approval(owner, spender, value);
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return block.chainid == _chain ? _separator : _domain();
    }

    function _domain() private view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
    }
}

/// A token in assembly in the manner of Solady: seeds instead of slots, and hashes of packed memory.
contract SeededToken is SeededBooks {
    string private _name;
    string private _symbol;

    error InsufficientBalance();
    error InsufficientAllowance();

    constructor(string memory name_, string memory symbol_, uint256 supply) {
        _name = name_;
        _symbol = symbol_;
        assembly {
            sstore(_SUPPLY_SLOT, supply)
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, caller())
            sstore(keccak256(0x0c, 0x20), supply)
            mstore(0x20, supply)
            log3(0x20, 0x20, _TRANSFER, 0, shr(96, mload(0x0c)))
        }
    }

    function name() external view returns (string memory) {
        return _name;
    }

    function symbol() external view returns (string memory) {
        return _symbol;
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function balanceOf(address owner) external view returns (uint256 result) {
        assembly {
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, owner)
            result := sload(keccak256(0x0c, 0x20))
        }
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        assembly {
            mstore(0x0c, _BALANCE_SEED)
            mstore(0x00, caller())
            let fromSlot := keccak256(0x0c, 0x20)
            let held := sload(fromSlot)
            if gt(amount, held) {
                mstore(0x00, 0xf4d678b8)
                revert(0x1c, 0x04)
            }
            sstore(fromSlot, sub(held, amount))
            mstore(0x00, to)
            let toSlot := keccak256(0x0c, 0x20)
            sstore(toSlot, add(sload(toSlot), amount))
            mstore(0x20, amount)
            log3(0x20, 0x20, _TRANSFER, caller(), shr(96, mload(0x0c)))
        }
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        assembly {
            let high := shl(96, from)
            mstore(0x20, caller())
            mstore(0x0c, or(high, _ALLOWANCE_SEED))
            let slot := keccak256(0x0c, 0x34)
            let allowed := sload(slot)
            if not(allowed) {
                if gt(amount, allowed) {
                    mstore(0x00, 0x13be252b)
                    revert(0x1c, 0x04)
                }
                sstore(slot, sub(allowed, amount))
            }
            mstore(0x0c, or(high, _BALANCE_SEED))
            let fromSlot := keccak256(0x0c, 0x20)
            let held := sload(fromSlot)
            if gt(amount, held) {
                mstore(0x00, 0xf4d678b8)
                revert(0x1c, 0x04)
            }
            sstore(fromSlot, sub(held, amount))
            mstore(0x00, to)
            let toSlot := keccak256(0x0c, 0x20)
            sstore(toSlot, add(sload(toSlot), amount))
            mstore(0x20, amount)
            log3(0x20, 0x20, _TRANSFER, shr(96, high), shr(96, mload(0x0c)))
        }
        return true;
    }
}
